internal import Synchronization

/// How far a message in pieces has been sent. One is under way at a time in each direction; the others wait for it, and
/// frames of every other kind go between its pieces.
///
/// Whoever sends it holds it: let go of, it is given up, and the next one may begin.
final class LargeTransfer: Sendable {
    /// Bytes that have gone. Changed under the sender's lock.
    let sent = Atomic<Int>(0)
}
