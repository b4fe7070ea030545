import Glibc

/// Finds descriptor leaks: compares the number of open descriptors with the number at rest.
struct OpenDescriptors {
    private var expected: Int

    /// Counts the descriptors once their number has not changed for a tenth of a second.
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

    /// How many more descriptors are open than expected. A leak is reported once and expected from then on.
    ///
    /// Other threads close descriptors late, some of them after the end was reported. Fewer than expected is therefore
    /// no leak, and more is a leak only if it lasts for ten seconds.
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
