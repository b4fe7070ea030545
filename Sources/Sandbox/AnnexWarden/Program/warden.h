// The warden's state, except for the table of launches: its findings at its start, and the parts that it has prepared
// since. A child has its own copy, made at the moment of its clone.
#ifndef ANNEX_WARDEN_STATE_H
#define ANNEX_WARDEN_STATE_H

#include <stdint.h>

// The current network namespace of the warden (network.c).
enum network_place {
    IN_HOSTS,  // the broker's namespace
    IN_SPARE,  // a new one that only the warden has been in
    IN_TAKEN,  // one that a sandbox uses or used
};

struct network {
    enum network_place place;
    int hosts;  // the namespace to return to, for plans that leave this layer out
    int is_due;
};

// The warden's mount namespaces, and the one in which it is now (bare.c).
struct bare {
    int hosts;  // the way back: the host's namespace,
    int root;   // and the root in it, which need not be the namespace's own
    int empty;  // the empty one; before it is made, a copy of `hosts`
    int is_made, is_due;
    int is_away;  // the warden is not in the host's namespace, or not at the root in it
};

// Controls of annex_speculation.h, as bits (speculation.c).
struct speculation {
    uint32_t asked;     // requested by each launch's child: offered, and not in force yet
    uint32_t in_force;  // in every sandbox with the layer: controls in force before, and controls asked for
};

// Answers that could not be sent at once (answers.c).
struct answering {
    int is_waiting;  // for room in the control socket
    int is_crowded;  // until fewer descriptors of this user are in flight
    int is_unheard;  // the broker hung up
};

struct loop {
    int epoll, signals;
    int broker_gone;
    int ends_left;       // more ends wait than are collected in one turn
    uint32_t unwatched;  // children whose end no event reports
    uint32_t control;    // the event that is awaited at the control socket
};

struct warden {
    int is_root;        // uid 0 that is uid 0 outside of this user namespace too
    int zero_is_user;   // uid 0, but an ordinary user outside of this user namespace
    int zero_is_group;  // gid 0, which is the own group of an ordinary user
    int proc;           // the host's /proc, or -errno
    int proc_is_outer;  // /proc belongs to an outer process namespace (proc.c)
    int cannot_take;    // pidfd_getfd is refused, so children send their listeners (lending.h)
    int self;           // pidfd of the warden, by which a child sees whether the warden is alive
    int devices;        // device nodes of the warden's own, or -1 (devices.c)
    int32_t keyring_error;            // why there is no sealed session keyring, or 0
    uint32_t out_of_memory_score;     // of every sandbox (inherited.c)
    uint64_t files_soft, files_hard;  // RLIMIT_NOFILE as it was, for the children
    // Whether a launch has begun. A host that launches once, such as `annex run`, would pay for what is made ahead, and
    // would never use it.
    int launches_again;
    struct network network;
    struct bare bare;
    struct speculation speculation;
    struct answering answers;
    struct loop loop;
};

extern struct warden warden;

#endif
