// What the warden found when it began, and where it stands: all of its state but the table of launches.
// A child has a copy of its own, as of the moment of its clone.
#ifndef ANNEX_WARDEN_STATE_H
#define ANNEX_WARDEN_STATE_H

#include <stdint.h>

// Which network namespace the warden is in (network.c).
enum network_place {
    IN_HOSTS,  // where the broker is
    IN_SPARE,  // nothing but the warden was ever in it
    IN_TAKEN,  // a sandbox is in it, or was
};

struct network {
    enum network_place place;
    int hosts;  // the way back, for plans that leave this layer out
    int is_due;
};

// Which mount namespace the warden is in (bare.c).
struct bare {
    int hosts;  // the way back: the namespace,
    int root;   // and the root in it, which need not be the namespace's own
    int empty;  // the one with nothing in it; holds the way back until it is made
    int is_made, is_due;
    int is_away;  // from the host's namespace, or from the root in it
};

// Controls of annex_speculation.h, as bits (speculation.c).
struct speculation {
    uint32_t asked;     // of each launch's child: offered, and not yet in force
    uint32_t in_force;  // in every sandbox with the layer, with those
};

// Answers that could not be sent at once (answers.c).
struct answering {
    int is_waiting;  // for room in the control socket
    int is_crowded;  // until fewer descriptors of this user's are on their way
    int is_unheard;  // the broker hung up
};

struct loop {
    int epoll, signals;
    int broker_gone;
    int ends_left;       // more than are taken between two looks at everything else
    uint32_t unwatched;  // children whose end no event tells
    uint32_t control;    // what is waited for at the control socket
};

struct warden {
    int is_root;       // of the machine, or of a container that has more users than one
    int zero_is_user;  // uid 0, but outside of this user namespace an ordinary user
    int proc;          // the host's /proc, or -errno
    int self;          // pidfd of the warden: a child sees by it whether the warden lives
    int devices;       // device nodes of the warden's own, or -1 (devices.c)
    int32_t keyring_error;            // why there is no sealed session keyring, or 0
    uint32_t out_of_memory_score;     // of every sandbox (inherited.c)
    uint64_t files_soft, files_hard;  // RLIMIT_NOFILE as it was, for the children
    struct network network;
    struct bare bare;
    struct speculation speculation;
    struct answering answers;
    struct loop loop;
};

extern struct warden warden;

#endif
