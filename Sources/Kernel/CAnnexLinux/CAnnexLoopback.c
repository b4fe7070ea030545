#define _GNU_SOURCE
#include "CAnnexLoopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct question {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
};

union answer {
    struct nlmsghdr header;
    // After the message, the answer contains attributes that were not requested. If the answer is longer than this
    // buffer, its end is cut off.
    char bytes[1024];
};

static int ask(int netlink, uint16_t own, uint16_t other) {
    struct question question;
    memset(&question, 0, sizeof question);
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.body.sdiag_family = AF_INET;
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = ~0u;
    struct inet_diag_sockid *id = &question.body.id;
    id->idiag_sport = htons(own);
    id->idiag_dport = htons(other);
    id->idiag_src[0] = id->idiag_dst[0] = htonl(INADDR_LOOPBACK);
    id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    return send(netlink, &question, sizeof question, 0) < 0 ? -errno : 0;
}

// The kernel answers before `send` returns, so this function need not wait.
static int take(int netlink, uint32_t *user) {
    union answer answer;
    ssize_t count = recv(netlink, &answer, sizeof answer, MSG_DONTWAIT);
    if (count < 0) return -errno;
    if ((size_t)count < sizeof(struct nlmsghdr)) return -EPROTO;
    const void *body = NLMSG_DATA(&answer.header);
    if (answer.header.nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr failure;
        if ((size_t)count < NLMSG_HDRLEN + sizeof failure) return -EPROTO;
        memcpy(&failure, body, sizeof failure);
        return failure.error < 0 ? failure.error : -EPROTO;
    }
    struct inet_diag_msg message;
    if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY || (size_t)count < NLMSG_HDRLEN + sizeof message)
        return -EPROTO;
    memcpy(&message, body, sizeof message);
    // If a process closes a socket, the socket stays in the kernel for a while, with inode 0. For some of these
    // sockets, the kernel gives user 0.
    if (message.idiag_inode == 0) return -ENOENT;
    *user = message.idiag_uid;
    return 0;
}

int annex_loopback_user(uint16_t own, uint16_t other, uint32_t *user) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -errno;
    int result = ask(netlink, own, other);
    if (result == 0) result = take(netlink, user);
    close(netlink);
    return result;
}
