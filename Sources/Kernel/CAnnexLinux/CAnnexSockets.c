#define _GNU_SOURCE
#include "CAnnexSockets.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define ANNEX_SO_PEERPIDFD 77

// Room for one SCM_RIGHTS message, aligned as control messages require.
typedef union {
    char bytes[CMSG_SPACE(sizeof(int32_t) * ANNEX_DESCRIPTORS_PER_MESSAGE)];
    struct cmsghdr align;
} annex_control_room;

// Also has room for the mark of the message.
typedef union {
    char bytes[CMSG_SPACE(sizeof(int32_t) * ANNEX_DESCRIPTORS_RECEIVED) + CMSG_SPACE(sizeof(struct timeval))];
    struct cmsghdr align;
} annex_receiving_room;

int annex_send_message(
    int socket, const void *bytes, size_t size, const int32_t *descriptors, uint32_t count, int wait) {
    if (count > ANNEX_DESCRIPTORS_PER_MESSAGE) return -EINVAL;
    annex_control_room room;
    memset(&room, 0, sizeof room);  // padding must not carry stack bytes
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = room.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int32_t) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int32_t) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int32_t) * count);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : (int)sent;
}

// Collects the descriptors of all SCM_RIGHTS parts of the message. Descriptors for which the array has no room are
// closed at once. Returns whether there was any part.
static int annex_collect(struct msghdr *message, int32_t *descriptors, uint32_t *count, uint32_t *flags) {
    int is_message = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        is_message = 1;
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int32_t);
        for (size_t index = 0; index < here; index++) {
            int32_t number;
            memcpy(&number, CMSG_DATA(header) + index * sizeof number, sizeof number);
            if (*count < ANNEX_DESCRIPTORS_RECEIVED) {
                descriptors[(*count)++] = number;
            } else {
                close(number);
                *flags |= ANNEX_RECEIVED_DESCRIPTORS_CUT;
            }
        }
    }
    return is_message;
}

int annex_receive_message(
    int socket, void *bytes, size_t capacity, int32_t *descriptors, uint32_t *count, uint32_t *flags, int wait) {
    annex_receiving_room room;
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    *count = 0;
    *flags = 0;
    ssize_t got;
    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    } while (got < 0 && errno == EINTR);
    if (got < 0) return -errno;
    int is_message = annex_collect(&message, descriptors, count, flags);
    if (message.msg_flags & MSG_TRUNC) *flags |= ANNEX_RECEIVED_BYTES_CUT;
    if (message.msg_flags & MSG_CTRUNC) *flags |= ANNEX_RECEIVED_DESCRIPTORS_CUT;
    // Only a message brings a mark or descriptors. The end brings nothing.
    if (got == 0 && !is_message) *flags |= ANNEX_RECEIVED_END;
    return (int)got;
}

int annex_mark_messages(int socket) {
    int value = 1;
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMP, &value, sizeof value) < 0 ? -errno : 0;
}

int annex_set_pass_rights(int socket, int accept) {
    int value = accept ? 1 : 0;
    return setsockopt(socket, SOL_SOCKET, ANNEX_SO_PASSRIGHTS, &value, sizeof value) < 0 ? -errno : 0;
}

int annex_peer_pidfd(int socket) {
    int pidfd = -1;
    socklen_t size = sizeof pidfd;
    return getsockopt(socket, SOL_SOCKET, ANNEX_SO_PEERPIDFD, &pidfd, &size) < 0 ? -errno : pidfd;
}
