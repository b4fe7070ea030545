import Glibc

/// The descriptors that this process has open, held against those that it had when nothing was under way.
struct OpenDescriptors {
    private var expected: Int

    /// Counts once the number has not changed for a tenth of a second.
    init() async {
        expected = Self.count()
        var same = 0
        for _ in 0..<500 where same < 5 {
            try? await Task.sleep(for: .milliseconds(20))
            let now = Self.count()
            same = now == expected ? same + 1 : 0
            expected = now
        }
    }

    /// How many are there that were not there at the last count; what is reported once is expected from then on.
    ///
    /// Other threads let go of what ended, some of it after its end was told: fewer than expected is no leak, and
    /// more is one when it stays for ten seconds.
    mutating func newlyLeaked() async -> Int {
        var now = Self.count()
        for _ in 0..<500 where now > expected {
            try? await Task.sleep(for: .milliseconds(20))
            now = Self.count()
        }
        defer { expected = max(expected, now) }
        return max(0, now - expected)
    }

    private static func count() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }
}
