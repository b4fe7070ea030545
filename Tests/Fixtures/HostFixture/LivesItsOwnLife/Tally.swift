import Glibc
import Synchronization

/// Counts that any thread can change, and also a signal handler.
enum Tally {
    static let signals = Atomic<Int>(0)
    static let reaped = Atomic<Int>(0)
    static let own = Atomic<Int>(0)
}

func countSignal(_ number: Int32) {
    Tally.signals.add(1, ordering: .relaxed)
}

/// A host's own loop. It takes every status that the kernel offers, until the host has no more children.
func waitForAnybody(_ nothing: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    while waitpid(-1, nil, 0) > 0 { Tally.reaped.add(1, ordering: .relaxed) }
    return nil
}
