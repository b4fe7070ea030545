/* The extension that the conformance tests know, in C. `conforms LOOKS`: how often to look before sleeping. */
#include "annex_extension.h"

static int answer(struct annex_extension *e, struct annex_message *m) {
    switch (m->method) {
    case 1: return annex_reply(e, m, m->payload, m->length);
    case 2: return annex_fail(e, m, 7, "no");
    case 7: { /* what came with the request goes back with its answer */
        int failed = annex_reply_sealed(e, m, NULL, 0, m->pieces, m->piece_count);
        return failed == -EINVAL ? annex_fail(e, m, 8, "nothing to give back") : failed;
    }
    case 8: { /* works until its caller gives up */
        int cancelled = 0;
        while (!cancelled) cancelled = annex_is_cancelled(e, m->call);
        return cancelled < 0 ? cancelled : annex_event(e, 9, NULL, 0);
    }
    case 11: { /* asks its host the same, and answers with what that says */
        struct annex_message own = *m, reply;
        int64_t call = annex_request(e, 10, m->payload, m->length);
        if (call < 0) return (int)call;
        do {
            int next = annex_next(e, &reply, -1);
            if (next < 0) return next;
        } while (reply.kind != ANNEX_REPLY || reply.call != (uint64_t)call);
        return annex_reply(e, &own, reply.payload, reply.length);
    }
    default: return annex_fail(e, m, ANNEX_UNKNOWN_METHOD, "unknown method");
    }
}

int main(int count, char **words) {
    struct annex_extension e;
    struct annex_message m;
    int next = annex_open(&e);
    if (count > 1) e.looks = (uint32_t)strtoul(words[1], NULL, 10);
    if (!next) next = annex_hello(&e, 9 | ANNEX_CALLS_HOST);
    if (next) return 1;
    while ((next = annex_next(&e, &m, -1)) > 0) {
        int failed = 0;
        if (m.kind == ANNEX_EVENT && m.method == ANNEX_GOODBYE) return free(e.payload), 0;
        if (m.kind == ANNEX_EVENT && m.method == 4) failed = annex_event(&e, 5, m.payload, m.length);
        if (m.kind == ANNEX_REQUEST) failed = answer(&e, &m);
        while (m.piece_count) (void)close(m.pieces[--m.piece_count]);
        if (failed) return 1;
    }
    return 1;
}
