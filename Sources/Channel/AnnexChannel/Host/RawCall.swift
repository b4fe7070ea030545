internal import AnnexLinux

/// A call of plain bytes that its caller makes as the leader. The caller owns the memory behind the pointers, and this
/// memory outlives this value.
@safe struct RawCall {
    /// How the caller waits for the answer.
    enum Caller {
        /// A thread, which reads the ring and sleeps while no frame arrives.
        case thread
        /// A task, which checks for the answer while checking is cheaper than suspending, and then suspends.
        case task
    }

    let method: UInt16
    let payload: UnsafeRawBufferPointer
    let reply: UnsafeMutableRawBufferPointer
    /// The longest wait in nanoseconds, which is sent to the extension; nil: no limit.
    let limit: UInt64?
    /// The longest wait of the caller in nanoseconds; nil: no limit.
    let patience: UInt64?
    /// The most bytes of an answer in pieces for which the channel allocates memory.
    let mostReply: Int

    /// Stores an answer that is longer than `room`. Without a workspace, such an answer makes the call fail. The caller
    /// owns the workspace, as it owns the memory behind the pointers.
    let workspace: CallWorkspace?

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
        self.workspace = workspace
    }

    /// The moment at which a caller gives up if it begins to wait now; nil: never.
    func deadline() -> UInt64? {
        patience.map { MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: $0))) }
    }

    /// The most bytes of an answer that fits into the caller's memory.
    var room: Int { unsafe reply.count }

    /// The caller's memory as the place for an answer in pieces; nil for a task, and for a thread that has a workspace.
    /// A task gives its memory back when it suspends, so the channel must not copy into that memory later.
    func memory(for caller: Caller) -> CallerMemory? {
        unsafe caller == .thread && workspace == nil ? CallerMemory(reply) : nil
    }

    /// Throws unless the frame is a valid answer to this call.
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

    /// Copies the answer to a call that went through the table of calls into the caller's memory.
    /// - Returns: the answer's length.
    func store(_ reply: [UInt8], in memory: CallerMemory?) throws(CallFailure) -> Int {
        if let workspace, reply.count > room { return workspace.keep(reply) }
        // The extension chose both lengths that are compared here. The check below keeps every copy within the room,
        // whatever frames the extension sent before this answer.
        let count = max(memory?.count ?? 0, reply.count)
        guard count <= room else { throw .payloadTooLarge(bytes: count, most: room) }
        unsafe self.reply.copyBytes(from: reply)
        return count
    }
}

/// The state of a call when its caller stops leading.
@usableFromInline enum LedCall {
    /// The answer was copied; the value is its length.
    case answered(Int)
    /// The call was sent and has entered the table of calls. The reason is that its task suspends, its answer comes in
    /// pieces, or its thread has to resume other tasks.
    case pending(ChannelCall)
    /// Nothing was sent, for example because another thread reads, or because the ring or the table has no room.
    case notSent
}

/// The result of one check for a raw call's answer.
enum RawAnswer {
    case notThere
    /// The answer was taken from the ring and copied; the value is its length.
    case copied(Int)
    /// The answer comes in pieces, and no part of it has been taken out of the ring yet.
    case inPieces
}
