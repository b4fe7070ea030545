internal import AnnexLinux
internal import Synchronization

/// Where a thread waits for the bytes of a large answer, which whoever reads the ring copies there piece by piece. It is
/// the thread's own memory, so nobody touches it once the thread has closed this.
@safe final class CallerMemory: Sendable {
    @safe private struct State {
        // SAFETY: lent by the thread that waits; reached under the lock, and by nobody after `close`.
        nonisolated(unsafe) var room: UnsafeMutableRawBufferPointer
        /// Bytes of the answer, once it has begun.
        var count: Int?
    }

    private let state: Mutex<State>

    init(_ room: UnsafeMutableRawBufferPointer) {
        state = Mutex(unsafe State(room: room))
    }

    /// How many bytes the answer has; nil where none came in pieces.
    var count: Int? { state.withLock { $0.count } }

    /// An answer begins. One that is longer than the room is not copied.
    func begin(_ count: Int) {
        state.withLock { state in
            state.count = count
            if unsafe count > state.room.count {
                unsafe state.room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            }
        }
    }

    /// Copies a piece, which lies within the count that the answer began with.
    func take(_ place: UInt32, of arena: ArenaBytes, at offset: Int, count: Int) {
        state.withLock { state in
            guard let start = unsafe state.room.baseAddress, unsafe offset &+ count <= state.room.count else { return }
            // SAFETY: held against the room just now.
            unsafe arena.copy(from: place, to: start, offset: offset, count: count)
        }
    }

    /// The thread does not wait any more.
    func close() {
        state.withLock { unsafe $0.room = UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    }
}
