/// Everything that is measured, and what of it is to be reached.
public enum Catalogue {
    public static let scenes = judged + shown

    static let spinning = ["spin-line", "spin-ring", "spin-mailbox"]
    static let sleeping = ["futex", "eventfd", "pipe", "stream", "seqpacket"]
    static let copying = ["mapped-copy", "memfd-new", "memfd-reused"]

    /// What users would take instead, and whether it can be made to look instead of sleep.
    public static let peers: [Peer] = [
        Peer("iceoryx", spins: true, packages: ["libiceoryx-posh-dev", "libiceoryx-hoofs-dev", "iceoryx"]),
        Peer("zeromq", spins: true, packages: ["libzmq3-dev"]),
        Peer("nng", spins: true, packages: ["libnng-dev"]),
        Peer("sd-bus", spins: true, packages: ["libsystemd-dev"]),
        Peer("capnp", spins: true, packages: ["capnproto", "libcapnp-dev"]),
        Peer("grpc", spins: true, packages: ["libgrpc++-dev", "protobuf-compiler-grpc", "libprotobuf-dev"]),
        Peer("multiprocessing", spins: true, packages: ["python3"]),
    ]

    static let base = Setting()
    static let blocking = base.with { $0.waiting = .block }

    private static let judged: [Scene] = [
        Scene(
            "round-trip-awake", .latency, "64 B round trip, both awake on two cores", base.with { $0.batch = 32 },
            spinning.map(Contestant.floor) + [.ours("annex-call"), .ours("annex-async")]),
        Scene(
            "round-trip-asleep-one-core", .latency, "64 B round trip, blocking, on one core",
            blocking.with { $0.placement = .sameCore },
            sleeping.map(Contestant.floor) + [
                .ours("annex-call"), .ours("annex-call", waiting: .adaptive), .ours("annex-async"),
            ]),
        Scene(
            "round-trip-asleep-two-cores", .latency, "64 B round trip, blocking, on two cores", blocking,
            sleeping.map(Contestant.floor) + [.ours("annex-call"), .ours("annex-async")]),
        Scene(
            "suspension", .latency, "64 B round trip, the extension works 200 µs before it answers, two cores",
            blocking.with { $0.delay = 200_000 }, [.ours("annex-call"), .ours("annex-async")]),
    ]

    private static let shown: [Scene] = []

    public static let requirements: [Requirement] = [
        Requirement(
            "64 B round trip, both awake on two cores, sandboxed, p50", in: "round-trip-awake", "annex-call",
            against: spinning, called: "the C spin floor with copies", .atMost(1.3)),
        Requirement(
            "64 B round trip, both awake on two cores, sandboxed, p99", in: "round-trip-awake", "annex-call",
            against: spinning, called: "the C spin floor with copies", by: .p99, .atMost(2)),
        Requirement(
            "64 B round trip, async, answer within the spin budget", in: "round-trip-awake", "annex-async",
            against: spinning, called: "the C spin floor with copies", .atMost(4)),
        Requirement(
            "64 B round trip, blocking, one core", in: "round-trip-asleep-one-core", "annex-call", against: sleeping,
            called: "the best of C's futex, eventfd, pipe, socket", .atMost(1.2)),
        Requirement(
            "64 B round trip, blocking, two cores", in: "round-trip-asleep-two-cores", "annex-call", against: sleeping,
            called: "the best of C's futex, eventfd, pipe, socket", .atMost(1.2)),
        Requirement(
            "64 B round trip, adaptive, both ends held on one core", in: "round-trip-asleep-one-core",
            "annex-call, adaptive", against: ["annex-call"], called: "plain blocking there", .atMost(1.5)),
        Requirement(
            "64 B round trip, async with a real suspension", in: "suspension", "annex-async", against: ["annex-call"],
            called: "blocking", .atMostAbove(microseconds: 15)),
    ]
}
