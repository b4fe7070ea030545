internal import AnnexLinux
internal import Synchronization

/// A message that is arriving in pieces. Each piece is copied once, when it arrives.
struct LargeMessage: Sendable {
    /// The destination of the bytes.
    enum Target: Sendable {
        /// An array that belongs to this message.
        case own
        /// Memory of the caller's thread, which waits for the answer and lends the memory.
        case caller(CallerMemory)
        /// There is no destination. No caller waits for the message, so the message is not copied.
        case nobody
    }

    let header: LargeHeader
    /// The frame that began the message.
    let first: Frame
    let terms: RequestTerms
    private let target: Target
    private var received: UInt32 = 0
    private var bytes: [UInt8]

    /// - Parameter spare: an empty array. Its memory is reused if it is large enough.
    init(
        _ header: LargeHeader, first: Frame, terms: RequestTerms, to target: Target, spare: consuming [UInt8] = []
    ) {
        self.header = header
        self.first = first
        self.terms = terms
        self.target = target
        bytes = spare
        switch target {
        case .own: bytes.reserveCapacity(Int(truncatingIfNeeded: header.length))
        case .caller(let memory): memory.begin(Int(truncatingIfNeeded: header.length))
        case .nobody: break
        }
    }

    /// Whether the message is dropped without being copied.
    var isForNobody: Bool {
        if case .nobody = target { true } else { false }
    }

    /// Copies the next piece out of the arena. A piece fills a whole place of the arena or holds the rest of the
    /// message.
    /// - Parameter place: the place that the piece's frame names.
    mutating func copyPiece(_ place: Hostile<UInt32>, from arena: ArenaBytes) throws(ChannelViolation) {
        guard let place = place.below(arena.places) else {
            throw .pieceOutside(place: place.forReport, places: arena.places)
        }
        let count = min(header.length &- received, WireFormat.pieceSize)
        let size = Int(truncatingIfNeeded: count)
        switch target {
        case .own:
            bytes.append(addingCapacity: size) { room in
                unsafe room.withUnsafeMutableBufferPointer { buffer, filled in
                    guard let start = buffer.baseAddress else { return }
                    // SAFETY: the array has room for `size` bytes after the first `filled` bytes.
                    unsafe arena.copy(
                        from: place, to: UnsafeMutableRawPointer(start), offset: filled, count: size)
                    filled &+= size
                }
            }
        case .caller(let memory):
            memory.copyPiece(place, from: arena, at: Int(truncatingIfNeeded: received), count: size)
        case .nobody: break
        }
        received &+= count
    }

    /// The whole message as one frame; nil until all of it has arrived.
    var whole: Frame? {
        guard received == header.length else { return nil }
        return Frame(
            kind: header.kind, descriptors: first.descriptors, isAttended: first.isAttended, method: first.method,
            call: first.call, terms: terms, payload: bytes)
    }
}

/// Memory that a waiting thread lends for a large answer. The thread that reads the ring copies the answer there piece
/// by piece. After `close`, no other thread touches the memory.
@safe final class CallerMemory: Sendable {
    @safe private struct State {
        // SAFETY: the waiting thread lends this memory. The memory is accessed only under the lock, and not after
        // `close`.
        nonisolated(unsafe) var room: UnsafeMutableRawBufferPointer
        /// The answer's length in bytes; nil until the answer begins.
        var count: Int?
    }

    private let state: Mutex<State>

    init(_ room: UnsafeMutableRawBufferPointer) {
        state = Mutex(unsafe State(room: room))
    }

    /// The answer's length in bytes; nil if no answer came in pieces.
    var count: Int? { state.withLock { $0.count } }

    /// Begins an answer. An answer that is longer than the memory is not copied.
    func begin(_ count: Int) {
        state.withLock { state in
            state.count = count
            if unsafe count > state.room.count {
                unsafe state.room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            }
        }
    }

    /// Copies a piece to its offset in the answer.
    func copyPiece(_ place: UInt32, from arena: ArenaBytes, at offset: Int, count: Int) {
        state.withLock { state in
            guard let start = unsafe state.room.baseAddress, unsafe offset &+ count <= state.room.count else { return }
            // SAFETY: offset and count were just compared with the room.
            unsafe arena.copy(from: place, to: start, offset: offset, count: count)
        }
    }

    /// Takes the memory back, because the thread that lent it no longer waits.
    func close() {
        state.withLock { unsafe $0.room = UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    }
}

/// The memory of an arena: places that hold one piece each. In a region, the arena follows the ring.
///
/// The owner of the mapping outlives every copy of this value.
@safe struct ArenaBytes: Sendable {
    // SAFETY: an address is not Sendable by itself. This address is set once, and the region that owns the mapping
    // outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// The number of places; 0 if no messages come in pieces in this direction.
    let places: UInt32

    /// - Parameter start: the address of `size` bytes.
    init(start: UnsafeMutableRawPointer, size: UInt32) {
        unsafe self.start = start
        places = min(size >> WireFormat.pieceShift, WireFormat.mostPlaces)
    }

    // SAFETY, for both copies: `place` is below `places`, and no piece is longer than a place.
    private func address(_ place: UInt32) -> UnsafeMutableRawPointer {
        unsafe start.advanced(by: Int(truncatingIfNeeded: place &* WireFormat.pieceSize))
    }

    /// Copies a piece out of the arena to `offset` bytes after the target's start. The other side may change the piece
    /// during the copy, so only the copy is used.
    func copy(from place: UInt32, to target: UnsafeMutableRawPointer, offset: Int, count: Int) {
        unsafe SharedBytes.copy(to: target.advanced(by: offset), from: address(place), count: count)
    }

    /// Copies a piece into the arena. The piece is not longer than a place.
    func copy(to place: UInt32, from source: UnsafeRawBufferPointer) {
        if let base = source.baseAddress {
            unsafe SharedBytes.copy(to: address(place), from: base, count: source.count)
        }
    }
}
