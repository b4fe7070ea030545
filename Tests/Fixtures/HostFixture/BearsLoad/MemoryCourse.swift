import AnnexTestSupport
import Glibc

/// The memory of host and warden over time.
struct MemoryCourse {
    /// A sample of the memory, in KiB.
    private struct Sample {
        let time: Double
        let uses: [Double]
    }

    private static let names = ["host's own", "host RSS", "warden's own", "warden RSS", "host's allocations"]
    private var samples: [Sample] = []

    mutating func sample(at time: Double) -> String {
        Heap.trim()
        let warden = ProcessTable.wardens(of: getpid()).min() ?? 0
        let heap = Heap.now()
        let uses =
            [getpid(), warden].flatMap { process in
                let lines = ProcText.lines(of: "/proc/\(process)/smaps_rollup")
                // The proportional share is not used, because it grows when other processes with the same libraries
                // end.
                return ["Private_Dirty:", "Rss:"].map { Self.number($0, in: lines) }
            } + [heap.allocated]
        samples.append(Sample(time: time, uses: uses))
        let numbers = zip(Self.names, uses).map { "\($0) \(Int($1)) KiB" }
        return "\(Int(time)) s: " + numbers.joined(separator: ", ") + " in \(heap.arenas) arenas"
    }

    private static func number(_ key: String, in lines: [String]) -> Double {
        let line = lines.first { $0.hasPrefix(key) } ?? ""
        return Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    /// The verdict about the growth. It uses the best straight line through the last two thirds of the samples. In that
    /// time, all objects that are created only once already exist.
    var verdict: String {
        let rest = Array(samples.dropFirst(samples.count / 3))
        guard let first = rest.first, let last = rest.last, last.time - first.time >= 120 else {
            return "too short for a verdict"
        }
        var isFlat = true
        let lines = Self.names.indices.map { place in
            let mean = rest.map { $0.uses[place] }.reduce(0, +) / Double(rest.count)
            let growth = Self.slope(rest.map { ($0.time, $0.uses[place]) }) * (last.time - first.time)
            // The permitted growth is a fiftieth of the mean, or as many pages as an allocator may keep for its
            // threads.
            isFlat = isFlat && growth <= max(mean / 50, 256)
            return
                "\(Self.names[place]): \(Int(mean)) KiB, \(Int(growth)) KiB more over \(Int(last.time - first.time)) s"
        }
        return lines.joined(separator: "\n") + "\nflat: \(isFlat)"
    }

    private static func slope(_ points: [(Double, Double)]) -> Double {
        let count = Double(points.count)
        let (x, y) = (points.map(\.0).reduce(0, +) / count, points.map(\.1).reduce(0, +) / count)
        let above = points.map { ($0.0 - x) * ($0.1 - y) }.reduce(0, +)
        let below = points.map { ($0.0 - x) * ($0.0 - x) }.reduce(0, +)
        return below == 0 ? 0 : above / below
    }
}
