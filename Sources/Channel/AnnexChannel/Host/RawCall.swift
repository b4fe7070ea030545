internal import AnnexLinux

/// A call of bare bytes while its caller leads. The pointers are the caller's own and outlive it.
@safe struct RawCall {
    /// What its caller does until the answer comes.
    enum Caller {
        /// Reads the ring, and sleeps while nothing comes.
        case thread
        /// Looks for the answer within the spin budget, and suspends.
        case task
    }

    let method: UInt16
    let payload: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer
    /// Nanoseconds that the caller waits at most, as it tells the extension.
    let limit: UInt64?
    /// Nanoseconds that it waits at most.
    let patience: UInt64?
    /// The most bytes of an answer in pieces that has memory of its own.
    let mostReply: Int

    // SAFETY: the caller's own, as the pointers are. Not counted: this value is copied on the way of every call.
    /// Takes an answer that is longer than there is room for; nil: nobody does.
    private let unsized: Unmanaged<CallWorkspace>?

    var workspace: CallWorkspace? { unsafe unsized?.takeUnretainedValue() }

    init(
        method: UInt16, payload: UnsafeRawBufferPointer, reply: UnsafeMutableRawBufferPointer, limit: UInt64?,
        patience: UInt64?, mostReply: Int, workspace: CallWorkspace? = nil
    ) {
        self.method = method
        unsafe self.payload = payload
        unsafe self.reply = reply
        self.limit = limit
        self.patience = limit ?? patience
        self.mostReply = mostReply
        unsafe unsized = workspace.map { unsafe Unmanaged.passUnretained($0) }
    }

    /// When its caller gives up that begins to wait now; nil: never.
    func deadline() -> UInt64? {
        patience.map { MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: $0))) }
    }

    /// The most bytes of an answer.
    var room: Int { unsafe reply.count }

    /// A thread's own memory for an answer in pieces. A task's is given back when it suspends.
    func memory(for caller: Caller) -> CallerMemory? {
        unsafe caller == .thread && unsized == nil ? CallerMemory(reply) : nil
    }

    /// Whether the frame is what the extension may say to this call.
    @inline(__always) func check(_ header: CheckedHeader) throws(ChannelViolation) {
        guard header.method == method else {
            throw .wrongMethod(call: header.call, header.method, asked: method)
        }
        guard header.descriptors == 0 else {
            throw .descriptorsNotAskedFor(count: Int(truncatingIfNeeded: header.descriptors), call: header.call)
        }
        guard header.kind == .reply || header.kind == .failure || header.kind == .large else {
            throw .unexpectedKind(header.kind.rawValue)
        }
    }

    /// Copies the outcome of a call that went through the table to where its caller wants it.
    /// - Returns: the answer's length.
    func take(_ reply: [UInt8], in memory: CallerMemory?) throws(CallFailure) -> Int {
        if let workspace, reply.count > room { return workspace.keep(reply) }
        let count = memory?.count ?? reply.count
        guard count <= room else { throw .payloadTooLarge(bytes: count, most: room) }
        unsafe self.reply.copyBytes(from: reply)
        return count
    }
}

/// What a call has come to while its caller led.
@usableFromInline enum LedCall {
    /// So many bytes of the answer were copied.
    case answered(Int)
    /// Sent, and in the table from here on: its caller suspends, or its answer comes in pieces.
    case pending(ChannelCall)
    /// Nothing was sent: another thread reads, or there is no room, in the ring or in the table.
    case notSent
}

/// What one look for a raw call's answer has shown.
enum RawAnswer {
    case notThere
    /// Taken out: so many bytes were copied.
    case copied(Int)
    /// It is larger than a frame, and nothing of it has been taken yet.
    case inPieces
}
