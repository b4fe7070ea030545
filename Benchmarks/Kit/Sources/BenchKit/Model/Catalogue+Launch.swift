// Launches and ends. No contender is bound to one processor, because a launch has several processes.
extension Catalogue {
    static let launch: [Scene] = [
        Scene(
            "launch", topic: .launch, title: "From the request to the first answer, 20 ms after the last",
            setting: rested,
            contestants: [.floor("bwrap"), .ours("annex-launch")]),
        Scene(
            "launch-signed", topic: .launch,
            title: "From the request to the first answer of a signed app, 20 ms after the last",
            setting: rested, contestants: [.ours("annex-launch"), .ours("annex-launch-signed")]),
        // This scene has no pause in which a network namespace could be made ahead.
        Scene(
            "launch-following", topic: .launch, title: "From the request to the first answer, one after the other",
            setting: launching,
            contestants: [.floor("bwrap"), .ours("annex-launch")]),
        Scene(
            "standby", topic: .launch,
            title: "From the request to the first answer of one launched ahead, blocking, on two cores",
            setting: blocking.with {
                $0.reply = 16
                $0.milliseconds = 1000
            }, contestants: [.ours("annex-raw"), .ours("annex-standby"), .ours("annex-launch")]),
        Scene(
            "ends", topic: .launch, title: "From the request that breaks a limit to the host's knowledge of the end",
            setting: launching,
            contestants: [.ours("annex-clone"), .ours("annex-denied"), .ours("annex-violation"), .ours("annex-memory")]),
        Scene(
            "launch-idle-1000", topic: .launch,
            title: "From the request to the first answer beside 1,000 idle extensions, 20 ms after the last",
            setting: rested,
            contestants: [.ours("annex-launch"), .ours("annex-launch", idle: 1000)], mostSlices: 1),
        Scene(
            "launch-following-idle-1000", topic: .launch,
            title: "From the request to the first answer beside 1,000 idle extensions, one after the other",
            setting: launching,
            contestants: [.ours("annex-launch"), .ours("annex-launch", idle: 1000)], mostSlices: 1),
        // A hundred ends keep the kernel at work for a while, so a pause follows them. For comparison, a single launch gets the same pause
        // before it.
        Scene(
            "launch-100", topic: .launch, title: "A hundred launches at once, 0.3 s after the last",
            setting: launching.with {
                $0.gap = 300_000_000
                $0.milliseconds = 8000
            }, contestants: [.ours("annex-launch"), .ours("annex-launch-100")], mostSlices: 1),
        Scene(
            "launching-100", topic: .launch,
            title: "64 B round trip while others are launched a hundred at once, blocking",
            setting: blocking.with { $0.placement = .anywhere },
            contestants: [.ours("annex-raw"), .ours("annex-raw-launching")], mostSlices: 1),
        Scene(
            "launch-flooded", topic: .launch,
            title: "From the request to the first answer beside 64 that flood their host", setting: rested,
            contestants: [.ours("annex-launch"), .ours("annex-launch-flooded")], mostSlices: 1),
        Scene(
            "flooded", topic: .launch, title: "64 B round trip beside 64 that flood their host, blocking",
            setting: blocking.with {
                $0.placement = .anywhere
                $0.milliseconds = 1000
            }, contestants: [.ours("annex-raw"), .ours("annex-raw-flooded")], mostSlices: 1),
    ]

    /// The length of this pause allows a network namespace to be made, and allows the kernel to finish with the last sandbox.
    private static let rested = launching.with {
        $0.gap = 20_000_000
        $0.milliseconds = 1500
    }

    private static let launching = awake.with {
        $0.placement = .anywhere
        $0.waiting = .adaptive
        // A new extension does not know the requested size of answers yet. So it answers with the fewest bytes.
        $0.reply = 16
        $0.milliseconds = 500
    }

    private static let bubblewrap = "bwrap --unshare-all with a static C program"

    static let launchRequirements: [Requirement] = [
        Requirement(
            "from the request to the first answer, cold, p50", in: "launch", subject: "annex-launch",
            against: ["bwrap"],
            called: bubblewrap, bound: .atMost(0.5)),
        Requirement(
            "the same of a signed app, cold, p50", in: "launch-signed", subject: "annex-launch-signed",
            against: ["annex-launch"], called: "an unsigned app", bound: .atMost(1.03)),
        Requirement(
            "the same with no network made ahead, one launch after the other, p50", in: "launch-following",
            subject: "annex-launch", against: ["bwrap"], called: bubblewrap, bound: .atMost(0.5)),
        Requirement(
            "the same from standby, p50", in: "standby", subject: "annex-standby", against: ["annex-raw"],
            called: "a blocking 64 B round trip", bound: .atMost(3)),
        Requirement(
            "the same from standby, p50", in: "standby", subject: "annex-standby", against: ["annex-launch"],
            called: "a cold launch", bound: .atMost(0.1)),
        Requirement(
            "cold beside 1,000 idle extensions, p50", in: "launch-idle-1000", subject: "annex-launch beside 1000 idle",
            against: ["annex-launch"], called: "beside none", bound: .atMost(1.25)),
        Requirement(
            "the same, one launch after the other, p50", in: "launch-following-idle-1000",
            subject: "annex-launch beside 1000 idle", against: ["annex-launch"], called: "beside none",
            bound: .atMost(1.25)),
        Requirement(
            "denied call, until the host is told, p50", in: "ends", subject: "annex-denied", against: ["annex-clone"],
            called: "a launch's steps from clone to exec", bound: .atMost(5)),
        Requirement(
            "breach of the protocol, until the host is told, p50", in: "ends", subject: "annex-violation",
            against: ["annex-clone"], called: "a launch's steps from clone to exec", bound: .atMost(5)),
        Requirement(
            "memory limit, until the host is told, p50", in: "ends", subject: "annex-memory", against: ["annex-clone"],
            called: "a launch's steps from clone to exec", bound: .atMost(5)),
        Requirement(
            "a hundred launches at once, all ready, p50", in: "launch-100", subject: "annex-launch-100",
            against: ["annex-launch"], called: "one launch", bound: .atMost(60)),
        Requirement(
            "64 B round trip meanwhile, blocking, p50", in: "launching-100", subject: "annex-raw-launching",
            against: ["annex-raw"], called: "without launches", bound: .atMost(2)),
        Requirement(
            "cold beside 64 that flood denials, signals and ends, p99", in: "launch-flooded",
            subject: "annex-launch-flooded",
            against: ["annex-launch"], called: "beside none", by: .p99, bound: .atMost(1.5)),
        Requirement(
            "64 B round trip beside the same, blocking, p99", in: "flooded", subject: "annex-raw-flooded",
            against: ["annex-raw"], called: "beside none", by: .p99, bound: .atMost(1.5)),
    ]
}
