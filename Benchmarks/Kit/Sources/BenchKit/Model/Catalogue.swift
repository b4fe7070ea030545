/// All scenes that are measured, and the requirements on them.
public enum Catalogue {
    public static let scenes =
        latency + items + bulk + oneWay + peerScenes + scale + launch + sizes + silences + rates + unpinned

    static let spinning = ["spin-line", "spin-ring", "spin-mailbox"]
    static let sleeping = ["futex", "eventfd", "pipe", "stream", "seqpacket"]
    static let copying = ["mapped-copy", "memfd-new", "memfd-reused"]

    static let awake = Setting()
    static let blocking = Setting().with { $0.waiting = .block }

    static func floors(_ names: [String]) -> [Contestant] { names.map(Contestant.floor) }

    private static let latency: [Scene] = [
        Scene(
            "awake", topic: .latency, title: "64 B round trip, both awake on two cores",
            setting: awake.with { $0.batch = 32 },
            contestants: floors(spinning) + [
                .ours("annex-raw"), .ours("annex-raw", waiting: .adaptive), .ours("annex-typed"), .ours("annex-async"),
                .ours("annex-async-dedicated"), .ours("annex-session"), .ours("annex-session-wait"),
            ]),
        Scene(
            "asleep-one-core", topic: .latency, title: "64 B round trip, blocking, on one core",
            setting: blocking.with { $0.placement = .sameCore },
            contestants: floors(sleeping) + [
                .ours("annex-raw"), .ours("annex-raw", waiting: .adaptive), .ours("annex-async"),
            ]),
        Scene(
            "asleep-two-cores", topic: .latency, title: "64 B round trip, blocking, on two cores", setting: blocking,
            contestants: floors(sleeping) + [
                .ours("annex-raw"), .ours("annex-raw", waiting: .adaptive), .ours("annex-async"),
            ]),
        Scene(
            "suspension", topic: .latency,
            title: "64 B round trip, the extension works 200 µs before it answers, two cores",
            setting: blocking.with { $0.delay = 200_000 },
            contestants: [
                .ours("annex-raw"), .ours("annex-async"), .ours("annex-async-executor"),
                .ours("annex-async-dedicated"), .ours("annex-async-led"),
            ]),
    ]

    private static let oneWay: [Scene] = [
        ("one-way-each", "flushed each", 1), ("one-way-batched", "flushed by 32", 32),
    ]
    .map { id, words, flush in
        let setting = awake.with {
            $0.loop = .oneWay
            $0.batch = 1024
            $0.flush = flush
        }
        return Scene(
            id, topic: .throughput, title: "64 B one way, \(words), two cores", setting: setting,
            contestants: floors(["spin-ring"]) + [.ours("annex-raw")])
    }

    private static let bulk: [Scene] = [
        Scene(
            "bulk-1-MiB", topic: .throughput, title: "1 MiB written, sent, read and verified, two cores",
            setting: awake.with { $0.request = 1 << 20 },
            contestants: floors(copying + ["mapped-pieces", "memcpy-warm", "memcpy-cold"]) + [.ours("annex-raw")]),
        Scene(
            "sealed-64-MiB", topic: .throughput,
            title: "64 MiB handed over, as new sealed memory (in place) and through the arena (copied), two cores",
            setting: awake.with {
                $0.reply = 64 << 20
                $0.milliseconds = 1000
            }, contestants: floors(["memfd-answer", "mapped-copy"]) + [.ours("annex-sealed"), .ours("annex-raw")]),
    ]

    private static let scale: [Scene] = [
        Scene(
            "idle-1000", topic: .scale, title: "64 B round trip beside 1,000 idle extensions, both awake on two cores",
            setting: awake.with {
                $0.waiting = .adaptive
                $0.batch = 32
                $0.milliseconds = 500
            }, contestants: [.ours("annex-raw"), .ours("annex-raw", idle: 1000)], mostSlices: 1)
    ]
}
