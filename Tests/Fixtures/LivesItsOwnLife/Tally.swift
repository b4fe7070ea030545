import Glibc
import Synchronization

/// Counted on any thread, in a signal handler too.
enum Tally {
    static let signals = Atomic<Int>(0)
    static let reaped = Atomic<Int>(0)
    static let own = Atomic<Int>(0)
}

func countSignal(_ number: Int32) {
    Tally.signals.add(1, ordering: .relaxed)
}

/// A host's own loop, which takes every status that the kernel offers it, until it has no child any more.
func waitForAnybody(_ nothing: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    while waitpid(-1, nil, 0) > 0 { Tally.reaped.add(1, ordering: .relaxed) }
    return nil
}
