#define _GNU_SOURCE
#include "CAnnexHosts.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// The filter sees a packet from its TCP header on, which begins with the sender's port. Negative places count from the
// address header. The jumps of all comparisons lead to the last instruction, which drops the packet. A socket of IPv6 gets
// packets of both protocols, and their headers have other bytes at the same places.
static int lock_to_four(int socket, uint32_t host, uint16_t port) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_AD_OFF + SKF_AD_PROTOCOL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 5),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, host, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const struct sock_fprog program = {.len = LENGTH(code), .filter = code};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static int lock_to_six(int socket, const uint32_t host[4], uint16_t port) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_AD_OFF + SKF_AD_PROTOCOL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IPV6, 0, 11),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 9),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 8),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(host[0]), 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(host[1]), 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 16),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(host[2]), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + 20),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(host[3]), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    const struct sock_fprog program = {.len = LENGTH(code), .filter = code};
    return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static int lock_to(int socket, const void *address, size_t size) {
    const struct sockaddr_in *four = address;
    const struct sockaddr_in6 *six = address;
    int result;
    if (size == sizeof *four && four->sin_family == AF_INET) {
        result = lock_to_four(socket, ntohl(four->sin_addr.s_addr), ntohs(four->sin_port));
    } else if (size == sizeof *six && six->sin6_family == AF_INET6) {
        uint32_t host[4];
        memcpy(host, &six->sin6_addr, sizeof host);
        // A socket of IPv6 talks IPv4 to such an address.
        int is_four = IN6_IS_ADDR_V4MAPPED(&six->sin6_addr);
        result = is_four ? lock_to_four(socket, ntohl(host[3]), ntohs(six->sin6_port))
                         : lock_to_six(socket, host, ntohs(six->sin6_port));
    } else {
        return -EAFNOSUPPORT;
    }
    const int on = 1;
    if (result == 0) result = setsockopt(socket, SOL_SOCKET, SO_LOCK_FILTER, &on, sizeof on);
    return result < 0 ? -errno : 0;
}

int annex_host_socket(int family, const void *address, size_t size) {
    int made = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
    if (made < 0) return -errno;
    int result = lock_to(made, address, size);
    if (result == 0) return made;
    close(made);
    return result;
}

// The settings that a program can make before it connects, and that concern the connection. The kernel answers the sizes
// of buffers doubled, and takes the single size.
static const struct setting {
    int level, name;
    int is_doubled;
} settings[] = {
    {SOL_SOCKET, SO_KEEPALIVE, 0},
    {SOL_SOCKET, SO_OOBINLINE, 0},
    {SOL_SOCKET, SO_PRIORITY, 0},
    {SOL_SOCKET, SO_RCVBUF, 1},
    {SOL_SOCKET, SO_SNDBUF, 1},
    {SOL_SOCKET, SO_RCVLOWAT, 0},
    {SOL_SOCKET, SO_REUSEADDR, 0},
    {IPPROTO_IP, IP_TOS, 0},
    {IPPROTO_IP, IP_TTL, 0},
    {IPPROTO_IP, IP_RECVERR, 0},
    {IPPROTO_IPV6, IPV6_UNICAST_HOPS, 0},
    {IPPROTO_IPV6, IPV6_TCLASS, 0},
    {IPPROTO_IPV6, IPV6_RECVERR, 0},
    {IPPROTO_TCP, TCP_NODELAY, 0},
    {IPPROTO_TCP, TCP_CORK, 0},
    {IPPROTO_TCP, TCP_KEEPIDLE, 0},
    {IPPROTO_TCP, TCP_KEEPINTVL, 0},
    {IPPROTO_TCP, TCP_KEEPCNT, 0},
    {IPPROTO_TCP, TCP_SYNCNT, 0},
    {IPPROTO_TCP, TCP_LINGER2, 0},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, 0},
    {IPPROTO_TCP, TCP_NOTSENT_LOWAT, 0},
    {IPPROTO_TCP, TCP_QUICKACK, 0},
};

static int copy_number(int from, int to, int fresh, const struct setting *setting) {
    int wanted = 0, usual = 0;
    socklen_t size = sizeof wanted;
    // A socket of IPv4 has no settings of IPv6.
    if (getsockopt(from, setting->level, setting->name, &wanted, &size) < 0) return 0;
    size = sizeof usual;
    if (getsockopt(fresh, setting->level, setting->name, &usual, &size) < 0 || wanted == usual) return 0;
    if (setting->is_doubled) wanted /= 2;
    return setsockopt(to, setting->level, setting->name, &wanted, sizeof wanted) < 0 ? -errno : 0;
}

static int copy_bytes(int from, int to, int name, void *room, socklen_t size) {
    if (getsockopt(from, SOL_SOCKET, name, room, &size) < 0) return -errno;
    return setsockopt(to, SOL_SOCKET, name, room, size) < 0 ? -errno : 0;
}

int annex_host_copy_settings(int from, int to, int fresh) {
    for (size_t i = 0; i < LENGTH(settings); i++) {
        int result = copy_number(from, to, fresh, &settings[i]);
        if (result < 0) return result;
    }
    struct timeval limit;
    struct linger linger;
    int result = copy_bytes(from, to, SO_RCVTIMEO, &limit, sizeof limit);
    if (result == 0) result = copy_bytes(from, to, SO_SNDTIMEO, &limit, sizeof limit);
    if (result == 0) result = copy_bytes(from, to, SO_LINGER, &linger, sizeof linger);
    return result;
}

int annex_host_state(int socket) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ? -errno : info.tcpi_state;
}

int annex_host_repeat(int socket) {
    struct sockaddr_storage peer;
    socklen_t size = sizeof peer;
    if (getpeername(socket, (struct sockaddr *)&peer, &size) < 0) return -errno;
    return connect(socket, (struct sockaddr *)&peer, size) < 0 ? -errno : 0;
}

int64_t annex_host_patience(int socket) {
    struct timeval limit = {0};
    socklen_t size = sizeof limit;
    if (getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, &size) < 0) return -errno;
    return (int64_t)limit.tv_sec * 1000000 + limit.tv_usec;
}

// The route to an address, as the kernel answers it.
static int route_type(int netlink, int family, const void *host, size_t size) {
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
        struct rtattr destination;
        uint8_t host[16];
    } question = {
        .header = {.nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST},
        .route = {.rtm_family = (uint8_t)family, .rtm_dst_len = (uint8_t)(8 * size)},
        .destination = {.rta_type = RTA_DST, .rta_len = (uint16_t)RTA_LENGTH(size)},
    };
    question.header.nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof question.route) + RTA_LENGTH(size));
    memcpy(question.host, host, size);
    if (send(netlink, &question, question.header.nlmsg_len, 0) < 0) return -errno;
    union {
        struct nlmsghdr header;
        uint8_t bytes[1024];
    } answer;
    // The kernel has answered before the call above returns.
    ssize_t count = recv(netlink, &answer, sizeof answer, MSG_DONTWAIT);
    if (count < 0) return -errno;
    size_t least = NLMSG_LENGTH(sizeof(struct rtmsg));
    if ((size_t)count < least || answer.header.nlmsg_type != RTM_NEWROUTE) return -EHOSTUNREACH;
    const struct rtmsg *route = NLMSG_DATA(&answer.header);
    return route->rtm_type;
}

int annex_host_is_own(const void *host, size_t size) {
    int family = size == 4 ? AF_INET : AF_INET6;
    if (size != 4 && size != 16) return -EINVAL;
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (netlink < 0) return -errno;
    int type = route_type(netlink, family, host, size);
    close(netlink);
    return type < 0 ? type : type == RTN_LOCAL;
}
