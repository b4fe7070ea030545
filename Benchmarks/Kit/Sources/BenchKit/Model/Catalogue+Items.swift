// Requests of items, contents on demand, and the decision which extensions are offered.
extension Catalogue {
    static let items: [Scene] = [
        Scene(
            "items-two-cores", topic: .latency, title: "Request of one small item, both awake on two cores",
            setting: awake.with {
                $0.waiting = .adaptive
                $0.batch = 32
            }, contestants: answering),
        Scene(
            "items-one-core", topic: .latency, title: "Request of one small item, the host blocking, on one core",
            setting: blocking.with { $0.placement = .sameCore }, contestants: answering),
        Scene(
            "item-file", topic: .throughput,
            title: "2 GiB of a file, read in pieces by an extension of 48 MiB, two cores",
            setting: blocking.with {
                $0.file = 2 << 30
                $0.milliseconds = 1000
            }, contestants: floors(["cat"]) + [.ours("annex-item-file")]),
        Scene(
            "keystroke", topic: .latency,
            title: "Check of a compose sheet's text after a keystroke, blocking, on two cores",
            setting: blocking,
            contestants: [.ours("annex-raw"), .ours("annex-keystroke"), .ours("annex-keystroke-loading")]),
        Scene(
            "loads", topic: .latency, title: "Nine attachments whose loaders take a second each, on two cores",
            setting: blocking,
            contestants: [
                .ours("annex-loads"), .ours("annex-loads-blocking"), .ours("annex-keystroke-blocked"),
            ], mostSlices: 1),
        Scene(
            "offers", topic: .scale, title: "Deciding which of 1,000 extensions are offered for 100 items",
            setting: blocking.with {
                $0.placement = .sameCore
                $0.milliseconds = 500
            }, contestants: [.ours("annex-offers"), .ours("annex-offers-first")], mostSlices: 1),
    ]

    private static let answering: [Contestant] = [
        .ours("annex-items"), .ours("annex-items-async"), .ours("annex-items-yield"),
    ]

    private static let synchronous = "`beginRequest`"

    static let itemRequirements: [Requirement] = [
        Requirement(
            "request of an item, `respond` that only awaits, both awake on two cores, p50", in: "items-two-cores",
            subject: "annex-items-async", against: ["annex-items"], called: synchronous, bound: .atMost(1.5)),
        Requirement(
            "the same, blocking, one core, p50", in: "items-one-core", subject: "annex-items-async",
            against: ["annex-items"], called: synchronous, bound: .atMost(1.5)),
        Requirement(
            "check of a compose sheet's text, p99", in: "keystroke", subject: "annex-keystroke", against: ["annex-raw"],
            called: "a blocking 64 B round trip", by: .p99, bound: .atMost(5)),
        Requirement(
            "the same while nine attachments load, p99", in: "keystroke", subject: "annex-keystroke-loading",
            against: ["annex-keystroke"], called: "without loads", by: .p99, bound: .atMost(1.5)),
        Requirement(
            "nine attachments whose loaders take a second each, p50", in: "loads", subject: "annex-loads", against: [],
            called: "", bound: .within(microseconds: 1_100_000)),
        Requirement(
            "2 GiB of a file through an extension of 48 MiB", in: "item-file", subject: "annex-item-file",
            against: ["cat"], called: "the rate of `cat` into /dev/null", by: .rate, bound: .atLeast(0.8)),
        Requirement(
            "deciding 1,000 extensions for 100 items, p50", in: "offers", subject: "annex-offers", against: [],
            called: "", bound: .within(microseconds: 20_000)),
    ]
}
