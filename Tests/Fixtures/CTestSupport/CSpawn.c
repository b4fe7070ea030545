#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

static int plan_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return error;
}

static int plan_actions(posix_spawn_file_actions_t *actions, const char *folder, const int streams[3]) {
    int error = 0;
    for (int number = 0; number < 3 && error == 0; number++) {
        if (streams[number] == SPAWN_STREAM_NONE)
            error = posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_RDWR, 0);
        else
            error = posix_spawn_file_actions_adddup2(actions, streams[number], number);
    }
    if (error == 0 && folder) error = posix_spawn_file_actions_addchdir_np(actions, folder);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return error;
}

int spawn_program(const char *program, char *const arguments[], char *const variables[], const char *folder,
                  const int streams[3], pid_t *number) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int error = plan_attributes(&attributes);
    if (error == 0) error = plan_actions(&actions, folder, streams);
    if (error == 0) error = posix_spawn(number, program, &actions, &attributes, arguments, variables);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
