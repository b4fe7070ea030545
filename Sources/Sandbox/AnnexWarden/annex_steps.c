#include "annex_warden.h"

static const char *const names[ANNEX_STEP_COUNT] = {
    [ANNEX_STEP_PLAN] = "plan",
    [ANNEX_STEP_TREES] = "trees",
    [ANNEX_STEP_CLONE] = "clone",
    [ANNEX_STEP_CGROUP] = "cgroup",
    [ANNEX_STEP_CLOCKS] = "clocks",
    [ANNEX_STEP_NUMBERS] = "numbers",
    [ANNEX_STEP_WATCHES] = "watches",
    [ANNEX_STEP_MAPS] = "maps",
    [ANNEX_STEP_OWNERS] = "owners",
    [ANNEX_STEP_IDENTITY] = "identity",
    [ANNEX_STEP_PROPAGATION] = "propagation",
    [ANNEX_STEP_ROOT] = "root",
    [ANNEX_STEP_SCRATCHES] = "scratches",
    [ANNEX_STEP_BINDS] = "binds",
    [ANNEX_STEP_LINKS] = "links",
    [ANNEX_STEP_FILES] = "files",
    [ANNEX_STEP_PARTS] = "parts",
    [ANNEX_STEP_PROC] = "proc",
    [ANNEX_STEP_PIVOT] = "pivot",
    [ANNEX_STEP_HOSTNAME] = "hostname",
    [ANNEX_STEP_LOOPBACK] = "loopback",
    [ANNEX_STEP_DIRECTORY] = "directory",
    [ANNEX_STEP_EXECUTABLE] = "executable",
    [ANNEX_STEP_SESSION] = "session",
    [ANNEX_STEP_CAPABILITIES] = "capabilities",
    [ANNEX_STEP_LIFELINE] = "lifeline",
    [ANNEX_STEP_NO_NEW_PRIVS] = "no-new-privs",
    [ANNEX_STEP_SPECULATION] = "speculation",
    [ANNEX_STEP_REAPER] = "reaper",
    [ANNEX_STEP_DESCRIPTORS] = "descriptors",
    [ANNEX_STEP_LANDLOCK] = "landlock",
    [ANNEX_STEP_LIMITS] = "limits",
    [ANNEX_STEP_SECCOMP] = "seccomp",
    [ANNEX_STEP_LISTENER] = "listener",
    [ANNEX_STEP_EXEC] = "exec",
};

const char *annex_step_name(uint32_t step) { return step < ANNEX_STEP_COUNT ? names[step] : (const char *)0; }

static const char *const beginnings[ANNEX_BEGINNING_COUNT] = {
    [ANNEX_BEGINNING_SIGNALS] = "signals",
    [ANNEX_BEGINNING_SESSION] = "session",
    [ANNEX_BEGINNING_LIMITS] = "limits",
    [ANNEX_BEGINNING_STANDING] = "user and groups",
    [ANNEX_BEGINNING_INHERITED] = "inherited priorities",
    [ANNEX_BEGINNING_PLACES] = "namespaces",
    [ANNEX_BEGINNING_LOOP] = "event loop",
    [ANNEX_BEGINNING_CONFINEMENT] = "own confinement",
};

const char *annex_beginning_name(uint32_t beginning) {
    return beginning < ANNEX_BEGINNING_COUNT ? beginnings[beginning] : (const char *)0;
}
