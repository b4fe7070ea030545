internal import AnnexLinux

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
