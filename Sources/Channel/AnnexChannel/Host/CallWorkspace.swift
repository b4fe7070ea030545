public import AnnexMessages
internal import Synchronization

/// Memory in which a call is encoded and its answer decoded. The channel keeps one for the next call. Only one thread
/// uses it at a time.
@safe @usableFromInline final class CallWorkspace {
    // SAFETY: this object alone owns it for its whole life. It lies behind a pointer because Swift checks each access
    // to a class's stored property at run time, which costs more than encoding a number.
    @usableFromInline let encoder: UnsafeMutablePointer<MessageEncoder>
    // SAFETY: `capacity` bytes that this object alone owns; zeros from the start, so that any of them may be read.
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    // SAFETY: this object alone owns it; nil until an answer is larger than `capacity`.
    private var large: UnsafeMutableRawBufferPointer?
    /// Whether the channel keeps this workspace for later calls.
    let isKept: Bool

    /// - Parameter replyCapacity: the most bytes that an answer can have.
    init(limits: MessageLimits, replyCapacity: Int, isKept: Bool) {
        unsafe encoder = .allocate(capacity: 1)
        unsafe encoder.initialize(to: MessageEncoder(limits: limits, capacity: 256))
        capacity = replyCapacity
        // With a larger alignment than malloc's, glibc allocates elsewhere and hardly reuses the memory.
        unsafe start = .allocate(byteCount: replyCapacity, alignment: 16)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: replyCapacity)
        self.isKept = isKept
    }

    deinit {
        unsafe encoder.deinitialize(count: 1)
        unsafe encoder.deallocate()
        unsafe start.deallocate()
        drop()
    }

    /// The memory that an answer is copied to.
    var room: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    /// The first bytes of the answer that was copied, or the whole answer that `keep` stored.
    @usableFromInline func reply(_ count: Int) -> UnsafeRawBufferPointer {
        if let large = unsafe large { return UnsafeRawBufferPointer(large) }
        return unsafe UnsafeRawBufferPointer(start: start, count: min(max(count, 0), capacity))
    }

    /// Stores an answer that may be larger than `room`, until the workspace is given back.
    /// - Returns: the answer's number of bytes.
    func keep(_ answer: [UInt8]) -> Int {
        drop()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: answer.count, alignment: 16)
        unsafe copy.copyBytes(from: answer)
        unsafe large = copy
        return answer.count
    }

    /// Frees the answer that `keep` stored.
    func drop() {
        unsafe large?.deallocate()
        unsafe large = nil
    }
}

/// Keeps one workspace for the next call. A call that finds it in use creates a workspace of its own.
@safe struct WorkspaceSlot: ~Copyable, Sendable {
    private let isTaken = Atomic<Bool>(false)
    // SAFETY: an address is not Sendable by itself. It is set once, and its memory is touched only between winning
    // `isTaken` and giving it back.
    private nonisolated(unsafe) let kept: UnsafeMutablePointer<CallWorkspace?>

    init() {
        unsafe kept = .allocate(capacity: 1)
        unsafe kept.initialize(to: nil)
    }

    deinit {
        unsafe kept.deinitialize(count: 1)
        unsafe kept.deallocate()
    }

    /// Returns a workspace that only this thread uses until it gives the workspace back.
    func take(_ make: (_ isKept: Bool) -> CallWorkspace) -> CallWorkspace {
        // SYNC: acquires what the last user wrote into the workspace before giving it back.
        guard !isTaken.exchange(true, ordering: .acquiring) else { return make(false) }
        if let workspace = unsafe kept.pointee { return workspace }
        let workspace = make(true)
        unsafe kept.pointee = workspace
        return workspace
    }

    func giveBack(_ workspace: CallWorkspace) {
        if workspace.isKept { isTaken.store(false, ordering: .releasing) }
    }
}

// The part of typed calls that does not depend on the message's type.
extension HostEndpoint {
    /// The state of a task's call before the task suspends.
    @usableFromInline struct Look<Response> {
        @usableFromInline var response: Response?
        /// A call that was sent and has no answer yet; nil if nothing was sent.
        @usableFromInline var pending: ChannelCall?

        @inlinable init(response: Response? = nil, pending: ChannelCall? = nil) {
            self.response = response
            self.pending = pending
        }
    }

    @usableFromInline func takeWorkspace() -> CallWorkspace {
        let taken = workspace.take { isKept in
            CallWorkspace(
                limits: limits,
                replyCapacity: Int(WireFormat.largestPayload(capacity: state.configuration.extensionCapacity)),
                isKept: isKept)
        }
        unsafe taken.encoder.pointee.reset()
        return taken
    }

    @usableFromInline func giveBack(_ taken: CallWorkspace) {
        taken.drop()
        workspace.giveBack(taken)
    }

    /// - Returns: the length of the answer, which is in the workspace.
    @usableFromInline func callEncoded(
        _ method: UInt16, _ workspace: CallWorkspace, _ timeout: Duration?, _ patience: CallPatience?
    ) throws(CallFailure) -> Int {
        // SAFETY: only this caller uses the workspace.
        if let failure = unsafe workspace.encoder.pointee.failure { throw .unencodable(failure) }
        var target = unsafe workspace.room.mutableBytes
        return try unsafe workspace.encoder.pointee.withWritten { (payload) throws(CallFailure) in
            try callRaw(
                method, payload, into: &target, timeout: timeout, patience: patience, workspace: workspace)
        }
    }

    @usableFromInline func lookEncoded(
        _ method: UInt16, _ workspace: CallWorkspace, _ timeout: Duration?, _ patience: CallPatience?
    ) throws(CallFailure) -> LedCall {
        // SAFETY: as in `callEncoded`.
        if let failure = unsafe workspace.encoder.pointee.failure { throw .unencodable(failure) }
        return try unsafe workspace.encoder.pointee.withWritten { (payload) throws(CallFailure) in
            try look(
                method, payload, in: workspace, timeout, patience: patience, mostReply: MessageLimits.standard.bytes)
        }
    }

    var limits: MessageLimits {
        // No more than a decoder accepts, however large the ring is.
        let most = max(largestFrame, state.configuration.hostArena > 0 ? Int(state.configuration.largestMessage) : 0)
        return MessageLimits(
            bytes: min(most, MessageLimits.standard.bytes), fields: MessageLimits.standard.fields,
            depth: MessageLimits.standard.depth)
    }
}
