internal import AnnexLinux
internal import Synchronization

/// A message that comes in pieces, as far as it has come. Its bytes are copied as their pieces come, each once.
struct LargeMessage: Sendable {
    /// Where the bytes go.
    enum Target: Sendable {
        /// Memory of this message's own.
        case own
        /// Where the caller waits for them.
        case caller(CallerMemory)
        /// Nobody waits for them: they are not even copied.
        case nobody
    }

    let header: LargeHeader
    /// The frame that began it.
    let first: Frame
    let terms: RequestTerms
    private let target: Target
    private var received: UInt32 = 0
    private var bytes: [UInt8]

    /// - Parameter spare: an empty array, whose memory is taken where it is large enough.
    init(
        _ header: LargeHeader, _ first: Frame, _ terms: RequestTerms, to target: Target, spare: consuming [UInt8] = []
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

    /// Whether it is only read past.
    var isForNobody: Bool {
        if case .nobody = target { true } else { false }
    }

    /// Copies the next piece out of the arena: all of a place, or what is left of the message.
    /// - Parameter place: as the piece's frame says.
    mutating func take(_ place: Hostile<UInt32>, of arena: ArenaBytes) throws(ChannelViolation) {
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
                    // SAFETY: there is room for `size` bytes behind those that are there.
                    unsafe arena.copy(
                        from: place, to: UnsafeMutableRawPointer(start), offset: filled, count: size)
                    filled &+= size
                }
            }
        case .caller(let memory): memory.take(place, of: arena, at: Int(truncatingIfNeeded: received), count: size)
        case .nobody: break
        }
        received &+= count
    }

    /// The whole as one frame, once all of it has come.
    var whole: Frame? {
        guard received == header.length else { return nil }
        return Frame(
            kind: header.kind, descriptors: first.descriptors, isAttended: first.isAttended, method: first.method,
            call: first.call, terms: terms, payload: bytes)
    }
}

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

/// An arena's memory: places of one piece each, behind a region's ring.
///
/// The owner of the mapping outlives every copy of this value.
@safe struct ArenaBytes: Sendable {
    // SAFETY: an address is not Sendable by itself; set once, and the region that owns the mapping outlives this value.
    private nonisolated(unsafe) let start: UnsafeMutableRawPointer
    /// How many there are; 0 where messages do not come in pieces.
    let places: UInt32

    /// `start` holds `size` bytes.
    init(start: UnsafeMutableRawPointer, size: UInt32) {
        unsafe self.start = start
        places = min(size >> WireFormat.pieceShift, WireFormat.mostPlaces)
    }

    // SAFETY, for both: `place` is below `places`, and no piece is longer than a place.
    private func address(_ place: UInt32) -> UnsafeMutableRawPointer {
        unsafe start.advanced(by: Int(truncatingIfNeeded: place &* WireFormat.pieceSize))
    }

    /// Copies a piece out, to `offset` bytes behind the target's start, whatever the other side does to it meanwhile.
    /// Only the copy is looked at.
    func copy(from place: UInt32, to target: UnsafeMutableRawPointer, offset: Int, count: Int) {
        unsafe SharedBytes.copy(to: target.advanced(by: offset), from: address(place), count: count)
    }

    /// Copies a piece in, at most a place's size.
    func copy(to place: UInt32, from source: UnsafeRawBufferPointer) {
        if let base = source.baseAddress {
            unsafe SharedBytes.copy(to: address(place), from: base, count: source.count)
        }
    }
}
