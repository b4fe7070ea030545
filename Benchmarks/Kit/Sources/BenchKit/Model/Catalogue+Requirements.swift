// The requirements that must be reached.
extension Catalogue {
    private static let spinFloor = "the C spin floor with copies"
    private static let sleepFloor = "the best of C's futex, eventfd, pipe, socket"
    private static let others = "the best of iceoryx, sd-bus, ZeroMQ, nng, Cap'n Proto, gRPC"

    public static let requirements: [Requirement] =
        roundTrips + itemRequirements + throughput + scale + launchRequirements + againstPeers

    private static let roundTrips: [Requirement] = [
        Requirement(
            "64 B round trip, both awake on two cores, p50", in: "awake", subject: "annex-raw", against: spinning,
            called: spinFloor, bound: .atMost(1.3)),
        Requirement(
            "64 B round trip, both awake on two cores, p99", in: "awake", subject: "annex-raw", against: spinning,
            called: spinFloor, by: .p99, bound: .atMost(2)),
        Requirement(
            "the same, typed, p50", in: "awake", subject: "annex-typed", against: spinning, called: spinFloor,
            bound: .atMost(3)),
        Requirement(
            "the same, async, answer within the spin budget, p50", in: "awake", subject: "annex-async",
            against: spinning,
            called: spinFloor, bound: .atMost(4)),
        Requirement(
            "64 B round trip, blocking, one core, p50", in: "asleep-one-core", subject: "annex-raw", against: sleeping,
            called: sleepFloor, bound: .atMost(1.2)),
        Requirement(
            "64 B round trip, blocking, two cores, p50", in: "asleep-two-cores", subject: "annex-raw",
            against: sleeping,
            called: sleepFloor, bound: .atMost(1.2)),
        Requirement(
            "64 B round trip, adaptive, both held on one core, p50", in: "asleep-one-core",
            subject: "annex-raw, adaptive",
            against: ["annex-raw"], called: "plain blocking there", bound: .atMost(1.5)),
        Requirement(
            "64 B round trip, async with a real suspension, p50", in: "suspension", subject: "annex-async",
            against: ["annex-raw"], called: "blocking", bound: .atMostAbove(microseconds: 15)),
        Requirement(
            "the same, resumed on the channel's executor, p50", in: "suspension", subject: "annex-async-executor",
            against: ["annex-raw"], called: "blocking", bound: .atMostAbove(microseconds: 15)),
    ]

    private static let throughput: [Requirement] = [
        Requirement(
            "64 B one way, flushed each", in: "one-way-each", subject: "annex-raw", against: ["spin-ring"],
            called: "a C ring's rate", by: .rate, bound: .atLeast(0.8)),
        Requirement(
            "64 B one way, flushed by 32", in: "one-way-batched", subject: "annex-raw", against: ["spin-ring"],
            called: "a C ring's rate", by: .rate, bound: .atLeast(0.67)),
        Requirement(
            "1 MiB written, sent, read and verified, p50", in: "bulk-1-MiB", subject: "annex-raw", against: copying,
            called: "C's best of a mapped copy, memfd passing", bound: .atMost(1.2)),
        Requirement(
            "64 MiB handed over as sealed memory, new each time, p50", in: "sealed-64-MiB", subject: "annex-sealed",
            against: ["memfd-answer"], called: "C's memfd passing", bound: .atMost(1.2)),
        Requirement(
            "64 MiB handed over repeatedly, through the arena, p50", in: "sealed-64-MiB", subject: "annex-raw",
            against: ["mapped-copy"], called: "C's copy through memory that stays mapped", bound: .atMost(1.2)),
    ]

    private static let scale: [Requirement] = [
        Requirement(
            "64 B round trip beside 1,000 idle extensions, p50", in: "idle-1000", subject: "annex-raw beside 1000 idle",
            against: ["annex-raw"], called: "beside none", bound: .atMost(1.25))
    ]

    private static let againstPeers: [Requirement] = [
        Requirement(
            "64 B round trip, both awake on two cores, p50", in: "peers-awake", subject: "annex-raw",
            against: judgedSpinningPeers, called: "the best of iceoryx, sd-bus, Cap'n Proto, gRPC", bound: .atMost(0.2)),
        Requirement(
            "64 B round trip, blocking, one core, p50", in: "peers-asleep-one-core", subject: "annex-raw",
            against: judgedPeers,
            called: others, bound: .atMost(1)),
        Requirement(
            "64 B round trip, blocking, two cores, p50", in: "peers-asleep-two-cores", subject: "annex-raw",
            against: judgedPeers, called: others, bound: .atMost(1.1)),
    ]
}
