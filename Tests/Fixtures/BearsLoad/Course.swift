import AnnexTestSupport
import Foundation

/// What host and warden use of memory, over time.
struct Course {
    /// In KiB.
    private struct Sample {
        let time: Double
        let uses: [Double]
    }

    private static let names = ["host PSS", "host RSS", "warden PSS", "warden RSS", "host's allocations"]
    private var samples: [Sample] = []

    mutating func sample(at time: Double) -> String {
        let warden = ProcessTable.wardens(of: getpid()).min() ?? 0
        let uses =
            [getpid(), warden].flatMap { process in
                let lines = ProcText.lines(of: "/proc/\(process)/smaps_rollup")
                return ["Pss:", "Rss:"].map { Self.number($0, in: lines) }
            } + [Self.allocated]
        samples.append(Sample(time: time, uses: uses))
        return "\(Int(time)) s: "
            + zip(Self.names, uses).map { "\($0) \(Int($1)) KiB" }.joined(separator: ", ")
    }

    /// What was asked of the allocator and not given back, by all threads: a leak grows here, pages that the allocator
    /// keeps for the next burst do not.
    private static var allocated: Double {
        typealias Info = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        // Glibc's import lacks <malloc.h>.
        guard let found = dlsym(nil, "malloc_info"), let file = tmpfile() else { return 0 }
        defer { fclose(file) }
        _ = unsafeBitCast(found, to: Info.self)(0, file)
        rewind(file)
        var text = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&text, 1, text.count, file)
        let whole = String(decoding: text.prefix(count), as: UTF8.self)
        // The sums over all arenas come last.
        let size = { (kind: String) in
            whole.components(separatedBy: "<\(kind)").last?.components(separatedBy: "size=\"").dropFirst().first
                .flatMap { Double($0.prefix { $0 != "\"" }) } ?? 0
        }
        let free = size("total type=\"fast\"") + size("total type=\"rest\"")
        return (size("system type=\"current\"") + size("total type=\"mmap\"") - free) / 1024
    }

    private static func number(_ key: String, in lines: [String]) -> Double {
        let line = lines.first { $0.hasPrefix(key) } ?? ""
        return Double(line.split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    /// By the straight line that fits best through the last two thirds: what is made once and kept is made by then.
    var verdict: String {
        let rest = Array(samples.dropFirst(samples.count / 3))
        guard let first = rest.first, let last = rest.last, last.time - first.time >= 120 else {
            return "too short for a verdict"
        }
        var isFlat = true
        let lines = Self.names.indices.map { place in
            let mean = rest.map { $0.uses[place] }.reduce(0, +) / Double(rest.count)
            let growth = Self.slope(rest.map { ($0.time, $0.uses[place]) }) * (last.time - first.time)
            // A fiftieth, or as many pages as an allocator may keep for its threads.
            let isSteady = growth <= max(mean / 50, 256)
            isFlat = isFlat && isSteady
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
