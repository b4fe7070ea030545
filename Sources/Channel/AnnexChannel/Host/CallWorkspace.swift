public import AnnexMessages
internal import Synchronization

/// The memory that one call works in, kept for the next one. Used by one thread at a time.
@safe @usableFromInline final class CallWorkspace {
    // SAFETY: this object's alone from its beginning to its end. Behind a pointer, because an access to a stored property
    // of a class is checked when it runs, which costs more than encoding a number.
    @usableFromInline let encoder: UnsafeMutablePointer<MessageEncoder>
    // SAFETY: `capacity` bytes that this object alone owns; zeros from the start, so that any of them may be read.
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    // SAFETY: as above; nil while no answer was larger than what is kept.
    private var large: UnsafeMutableRawBufferPointer?
    /// Whether it is the one that its channel keeps.
    let isKept: Bool

    /// - Parameter replyCapacity: the most bytes that an answer can have.
    init(limits: MessageLimits, replyCapacity: Int, isKept: Bool) {
        unsafe encoder = .allocate(capacity: 1)
        unsafe encoder.initialize(to: MessageEncoder(limits: limits, capacity: 256))
        capacity = replyCapacity
        // What is aligned to more than malloc gives, glibc takes from elsewhere and hardly uses again.
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

    /// Where an answer is copied to.
    var room: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    /// An answer that was copied.
    @usableFromInline func reply(_ count: Int) -> UnsafeRawBufferPointer {
        if let large = unsafe large { return UnsafeRawBufferPointer(large) }
        return unsafe UnsafeRawBufferPointer(start: start, count: min(max(count, 0), capacity))
    }

    /// Keeps an answer that may be longer than there is room for, until the workspace is given back.
    /// - Returns: how many bytes it has.
    func keep(_ answer: [UInt8]) -> Int {
        drop()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: answer.count, alignment: 16)
        unsafe copy.copyBytes(from: answer)
        unsafe large = copy
        return answer.count
    }

    /// Lets go of what `keep` has kept.
    func drop() {
        unsafe large?.deallocate()
        unsafe large = nil
    }
}

/// Keeps one workspace for whoever calls next; who comes while another uses it makes one of his own.
@safe struct WorkspaceSlot: ~Copyable, Sendable {
    private let isTaken = Atomic<Bool>(false)
    // SAFETY: an address is not Sendable by itself; set once, and what it points to is touched only between winning
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

    /// A workspace for this thread alone, until it is given back.
    func take(_ make: (_ isKept: Bool) -> CallWorkspace) -> CallWorkspace {
        // SYNC: acquires what the last user wrote into the workspace before it gave it back.
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

// What does not depend on the message's type.
extension HostEndpoint {
    /// What a task's call has come to without suspending.
    @usableFromInline struct Look<Response> {
        @usableFromInline var response: Response?
        /// A call that was sent; nil where nothing was.
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

    /// - Returns: how many bytes of an answer the workspace has.
    @usableFromInline func callEncoded(
        _ method: UInt16, _ workspace: CallWorkspace, _ timeout: Duration?, _ patience: CallPatience?
    ) throws(CallFailure) -> Int {
        // SAFETY: the workspace is the caller's alone.
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
        // SAFETY: as above.
        if let failure = unsafe workspace.encoder.pointee.failure { throw .unencodable(failure) }
        return try unsafe workspace.encoder.pointee.withWritten { (payload) throws(CallFailure) in
            try look(
                method, payload, in: workspace, timeout, patience: patience, mostReply: MessageLimits.standard.bytes)
        }
    }

    var limits: MessageLimits {
        // No more than a reader takes, however large the ring.
        let most = max(largestFrame, state.configuration.hostArena > 0 ? Int(state.configuration.largestMessage) : 0)
        return MessageLimits(
            bytes: min(most, MessageLimits.standard.bytes), fields: MessageLimits.standard.fields,
            depth: MessageLimits.standard.depth)
    }
}
