// The scenes without a requirement, for readers who want to know more.
extension Catalogue {
    /// From the smallest message to the largest.
    static let sizes: [Scene] = stride(from: 4, through: 26, by: 2).map { power in
        let size = 1 << power
        let setting = awake.with {
            $0.request = size
            $0.batch = size <= 4096 ? 32 : 1
            $0.milliseconds = size >= 1 << 22 ? 300 : 100
        }
        return Scene(
            "size-\(name(size))", topic: .throughput,
            title: "\(name(size, spaced: true)) there, 64 B back, both awake on two cores",
            setting: setting,
            contestants: floors(["spin-line", "mapped-pieces", "memcpy-warm"]) + [.ours("annex-raw")], isJudged: false)
    }

    /// The other side may be in a deep sleep, and other programs may have filled the caches.
    static let silences: [Scene] = [0, 1, 10, 100].map { milliseconds in
        let setting = awake.with {
            $0.waiting = .adaptive
            $0.gap = milliseconds * 1_000_000
            $0.milliseconds = max(100, 20 * milliseconds)
        }
        return Scene(
            "silence-\(milliseconds)-ms", topic: .latency,
            title: "64 B round trip after \(milliseconds) ms of silence, two cores",
            setting: setting,
            contestants: floors(["futex", "stream"]) + [.ours("annex-raw"), .ours("annex-raw", waiting: .block)],
            isJudged: false)
    }

    /// Calls at a fixed rate. If a call begins late, the delay counts as time of the call.
    static let rates: [Scene] = [(1_000_000, "1,000"), (100_000, "10,000"), (10_000, "100,000")].map {
        interval, words in
        let setting = awake.with {
            $0.loop = .open
            $0.interval = interval
        }
        return Scene(
            "rate-\(words.replacing(",", with: ""))", topic: .latency,
            title: "64 B round trip, \(words) calls a second at fixed times, both awake on two cores", setting: setting,
            contestants: floors(["spin-line", "futex"]) + [.ours("annex-raw"), .ours("annex-raw", waiting: .adaptive)],
            isJudged: false)
    }

    /// The kernel chooses the processors. By chance, both processes run on one core or on two.
    static let unpinned: [Scene] = [
        Scene(
            "unpinned-asleep", topic: .latency, title: "64 B round trip, blocking, not pinned",
            setting: blocking.with { $0.placement = .anywhere },
            contestants: floors(sleeping) + [
                .ours("annex-raw"), .ours("annex-raw", waiting: .adaptive), .ours("annex-async"),
            ],
            isJudged: false),
        Scene(
            "unpinned-awake", topic: .latency, title: "64 B round trip, both awake, not pinned",
            setting: awake.with {
                $0.placement = .anywhere
                $0.batch = 32
            }, contestants: floors(spinning) + [.ours("annex-raw"), .ours("annex-async")], isJudged: false),
    ]

    private static func name(_ size: Int, spaced: Bool = false) -> String {
        let (number, unit) =
            size >= 1 << 20 ? (size >> 20, "MiB") : size >= 1 << 10 ? (size >> 10, "KiB") : (size, "B")
        return "\(number)\(spaced ? " " : "-")\(unit)"
    }
}
