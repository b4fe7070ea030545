import Testing

@testable import AnnexLaunch

/// The part of the user's queues and watches of inotify that a sandbox gets.
@Suite struct WatchBoundsTests {
    @Test(arguments: [
        (UInt64(128), UInt64(8192), UInt32(32), UInt32(2048)), (0, 0, 1, 1), (1, 3, 1, 1),
        (UInt64(Int32.max), UInt64(Int32.max), 64, 1 << 18), (.max, .max, 64, 1 << 18),
    ])
    func `a sandbox gets a quarter at most, and something`(
        queues: UInt64, watches: UInt64, part: UInt32, watched: UInt32
    ) {
        let bounds = WatchBounds(ofQueues: queues, watches: watches)
        #expect(bounds.queues == part && bounds.watches == watched)
    }
}
