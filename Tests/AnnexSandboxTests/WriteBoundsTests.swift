import Testing

@testable import AnnexLaunch

/// The kernel's counts of written bytes decide when a directory is looked at, and when they are read again.
@Suite struct WriteBoundsTests {
    private static let second: UInt64 = 1_000_000_000
    private let start = counts(free: 100 << 30)

    private static func counts(free: UInt64, dirtied: UInt64 = 0, files: UInt64 = 0) -> WriteCounts {
        let space = FreeSpace(bytes: free, size: 200 << 30, files: 10_000 - files, mostFiles: 10_000)
        return WriteCounts(dirtied: dirtied, space: space)
    }

    /// Bounds of a directory that may grow by 64 MiB until a look is due, and by twice as much.
    private var bounds: WriteBounds {
        WriteBounds(
            start: start,
            look: .init(leastFree: (100 << 30) - (64 << 20), mostFiles: 100, mostDirtied: 64 << 20),
            promise: .init(leastFree: (100 << 30) - (128 << 20), mostFiles: 100_000, mostDirtied: 128 << 20),
            earliest: 5)
    }

    @Test func `FS-41: a look is due if space, files or written bytes have reached their bounds`() {
        #expect(!bounds.demandLook(start, at: 9))
        #expect(!bounds.demandLook(Self.counts(free: (100 << 30) - (64 << 20), dirtied: 64 << 20, files: 100), at: 9))
        #expect(bounds.demandLook(Self.counts(free: (100 << 30) - (65 << 20)), at: 0))
        #expect(bounds.demandLook(Self.counts(free: 100 << 30, files: 101), at: 0))
        // A program that frees as much as it takes does not hide what it writes.
        #expect(bounds.demandLook(Self.counts(free: 101 << 30, dirtied: 65 << 20), at: 5))
        #expect(!bounds.demandLook(Self.counts(free: 101 << 30, dirtied: 65 << 20), at: 4))
    }

    @Test func `FS-41: the counts are read again before the fastest writer has passed the last bound`() {
        #expect(bounds.pause(after: start) == Self.second / 32)
        let written = Self.counts(free: 100 << 30, dirtied: 64 << 20)
        #expect(bounds.pause(after: written) == Self.second / 128)
        #expect(bounds.pause(after: Self.counts(free: 0)) == WriteBounds.shortest)
        let wide = WriteBounds(start: start, look: .init(), promise: .init())
        #expect(wide.pause(after: start) == WriteBounds.longest)
    }
}
