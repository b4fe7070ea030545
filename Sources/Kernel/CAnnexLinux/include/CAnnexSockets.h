// Messages with descriptors on Unix sockets.
#ifndef C_ANNEX_SOCKETS_H
#define C_ANNEX_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

// The most descriptors that Annex sends with one message.
#define ANNEX_DESCRIPTORS_PER_MESSAGE 16
// The most descriptors that the kernel lets any peer send with one message. The receiver has room for all of them. If
// the room were too small, the kernel would close the descriptors that do not fit, on the receiving thread. The sender
// can make such a close last for any time.
#define ANNEX_DESCRIPTORS_RECEIVED 253
#define ANNEX_SO_PASSRIGHTS 83

enum {
    ANNEX_RECEIVED_BYTES_CUT = 1,        // MSG_TRUNC
    ANNEX_RECEIVED_DESCRIPTORS_CUT = 2,  // MSG_CTRUNC: this process is out of numbers
    ANNEX_RECEIVED_END = 4,              // the peer is gone, or the message is empty and the socket does not mark messages
};

// Sends one message with `count` descriptors. If `wait` is 0 and the queue is full, returns -EAGAIN.
int annex_send_message(
    int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count, int wait);
// Receives one message. Returns the number of bytes or -errno. All descriptors that arrived are stored, close-on-exec,
// in `descriptors` (room for ANNEX_DESCRIPTORS_RECEIVED), even if `*flags` says that others were lost.
int annex_receive_message(
    int socket, void *bytes, size_t capacity, int32_t *descriptors, uint32_t *count, uint32_t *flags, int wait);
// Lets the kernel mark each message that arrives at the socket, so that an empty message differs from the end. The mark
// is the time of the message, because no other mark of the kernel gives the socket a name or needs a call per message.
// Returns 0 or -errno.
int annex_mark_messages(int socket);
// Sets whether the socket accepts descriptors at all. Returns -ENOPROTOOPT on kernels before 6.16.
int annex_set_pass_rights(int socket, int accept);
// A pidfd of the process at the socket's other end, or -errno.
int annex_peer_pidfd(int socket);

#endif
