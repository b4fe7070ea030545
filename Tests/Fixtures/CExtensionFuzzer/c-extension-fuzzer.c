// libFuzzer over Languages/C/annex_extension.h: a host that writes any bytes into its region, once or while the
// extension reads. No bytes may make the extension access foreign memory or hang.

#include "annex_extension.h"

#include <stdio.h>

enum { CAPACITY = ANNEX_PAGE, REGION = ANNEX_PAGE + CAPACITY };

static unsigned char *region(void) {
    // The fuzzer uses no files: annex_open makes the header's own mappings, and checks sizes before it reads any other
    // value.
    void *start = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) abort();
    return start;
}

static struct annex_extension fresh(unsigned char *host, unsigned char *own, unsigned char *payload) {
    struct annex_extension e = {.control = -1, .host = host, .own = own, .host_capacity = CAPACITY,
                                .own_capacity = CAPACITY, .looks = 64, .cleared = CAPACITY, .payload = payload};
    return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static unsigned char *host, *own;
    if (!host) host = region(), own = region();
    unsigned char *payload = malloc(CAPACITY / 2); // its bounds are watched
    if (!payload) abort();
    memset(host, 0, REGION);
    memset(own, 0, REGION);
    size_t words = count < 12 ? count : 12;
    memcpy(host + ANNEX_CONSUMED, bytes, words < 4 ? words : 4);
    if (words > 4) memcpy(host + ANNEX_RECEIVER, bytes + 4, words - 4);
    if (count > 12) memcpy(host + ANNEX_PAGE, bytes + 12, count - 12 < CAPACITY ? count - 12 : CAPACITY);
    struct annex_extension e = fresh(host, own, payload);
    struct annex_message m;
    // More than a ring full of the smallest frames.
    for (int turn = 0; turn < 100; turn++) {
        if (!annex_first(&e, e.read)) break;
        (void)annex_is_cancelled(&e, 1);
        if (annex_take(&e, &m, annex_first(&e, e.read)) < 0) break;
        if (m.length > CAPACITY / 2 || m.kind == 0 || m.kind > ANNEX_RESET) abort();
        // The extension sends only if there is room. Otherwise it could wait without end for a host that never makes
        // room.
        if (annex_has_room(&e, m.length + 256) != 1) break;
        if (annex_write(&e, ANNEX_REPLY, 0, m.method, m.call, NULL, 0, m.payload, m.length, 1) < 0) break;
        if (e.read - e.told >= CAPACITY || e.written - e.seen > CAPACITY) abort();
    }
    free(payload);
    return 0;
}
