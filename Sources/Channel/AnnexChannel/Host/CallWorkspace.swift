public import AnnexMessages
internal import Synchronization

/// Memory in which a call is encoded and its answer is decoded. The channel keeps one workspace for the next call. Only
/// one thread at a time uses a workspace, and that thread gives it back once.
///
/// This value is a plain address, because counting references to an object would cost a tenth of a call.
@safe @usableFromInline struct CallWorkspace {
    @safe @usableFromInline struct Memory: ~Copyable {
        @usableFromInline var encoder: MessageEncoder
        // SAFETY: points to `capacity` bytes that only this value owns. They are initialized to zero, so that any of
        // them may be read.
        fileprivate let start: UnsafeMutableRawPointer
        fileprivate let capacity: Int
        // SAFETY: only this value owns the buffer. It is nil until an answer is larger than `capacity`.
        fileprivate var large: UnsafeMutableRawBufferPointer?
        /// Whether the channel keeps this workspace for later calls.
        fileprivate let isKept: Bool

        deinit {
            unsafe start.deallocate()
            unsafe large?.deallocate()
        }
    }

    // SAFETY: the memory lives until `end` is called.
    @usableFromInline let memory: UnsafeMutablePointer<Memory>

    /// - Parameter replyCapacity: the most bytes of an answer that fits into `room`.
    init(limits: MessageLimits, replyCapacity: Int, isKept: Bool) {
        // If the alignment were larger than the alignment of malloc, glibc would allocate this memory elsewhere and
        // hardly reuse it.
        let start = UnsafeMutableRawPointer.allocate(byteCount: replyCapacity, alignment: 16)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: replyCapacity)
        unsafe memory = .allocate(capacity: 1)
        unsafe memory.initialize(
            to: Memory(
                encoder: MessageEncoder(limits: limits, capacity: 256), start: start, capacity: replyCapacity,
                large: nil, isKept: isKept))
    }

    /// Frees the memory.
    fileprivate func end() {
        unsafe memory.deinitialize(count: 1)
        unsafe memory.deallocate()
    }

    /// The memory that an answer is copied to.
    var room: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: memory.pointee.start, count: memory.pointee.capacity)
    }

    /// The answer. If `keep` stored an answer, this is the whole stored answer. Otherwise, the answer was copied into
    /// `room` and has `count` bytes.
    @usableFromInline func reply(_ count: Int) -> UnsafeRawBufferPointer {
        if let large = unsafe memory.pointee.large { return UnsafeRawBufferPointer(large) }
        return unsafe UnsafeRawBufferPointer(rebasing: room.prefix(max(count, 0)))
    }

    /// Stores an answer that may be larger than `room`, until the workspace is given back.
    /// - Returns: the answer's number of bytes.
    func keep(_ answer: [UInt8]) -> Int {
        drop()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: answer.count, alignment: 16)
        unsafe copy.copyBytes(from: answer)
        unsafe memory.pointee.large = copy
        return answer.count
    }

    /// Frees the answer that `keep` stored.
    fileprivate func drop() {
        guard let large = unsafe memory.pointee.large else { return }
        unsafe large.deallocate()
        unsafe memory.pointee.large = nil
    }
}

/// Keeps one workspace for the next call. If this workspace is in use, the call creates another workspace.
@safe struct WorkspaceSlot: ~Copyable, Sendable {
    private let isTaken = Atomic<Bool>(false)
    // SAFETY: an address is not Sendable by itself. This address is set once. A thread accesses its memory only after
    // it has set `isTaken` from false to true, and before it gives the workspace back.
    private nonisolated(unsafe) let kept: UnsafeMutablePointer<CallWorkspace?>

    init() {
        unsafe kept = .allocate(capacity: 1)
        unsafe kept.initialize(to: nil)
    }

    deinit {
        unsafe kept.pointee?.end()
        unsafe kept.deinitialize(count: 1)
        unsafe kept.deallocate()
    }

    /// Returns a workspace that only this thread uses until it gives the workspace back.
    func acquire(_ make: (_ isKept: Bool) -> CallWorkspace) -> CallWorkspace {
        // SYNC: acquires what the last user of the workspace wrote before that user gave the workspace back.
        guard !isTaken.exchange(true, ordering: .acquiring) else { return make(false) }
        if let workspace = unsafe kept.pointee { return workspace }
        let workspace = make(true)
        unsafe kept.pointee = workspace
        return workspace
    }

    func giveBack(_ workspace: CallWorkspace) {
        workspace.drop()
        if unsafe workspace.memory.pointee.isKept {
            isTaken.store(false, ordering: .releasing)
        } else {
            workspace.end()
        }
    }
}

// The part of typed calls that does not depend on the type of the message.
extension HostEndpoint {
    /// The state of a task's call before the task suspends.
    @usableFromInline enum PolledCall<Response> {
        case answered(Response)
        /// There is no answer yet. The value is nil if the call was not sent.
        case pending(ChannelCall?)
    }

    @usableFromInline func acquireWorkspace() -> CallWorkspace {
        let taken = workspace.acquire { isKept in
            CallWorkspace(
                limits: limits,
                replyCapacity: Int(WireFormat.largestPayload(capacity: state.configuration.extensionCapacity)),
                isKept: isKept)
        }
        unsafe taken.memory.pointee.encoder.reset()
        return taken
    }

    @usableFromInline func giveBack(_ taken: CallWorkspace) {
        workspace.giveBack(taken)
    }

    /// - Returns: the length of the answer, which is in the workspace.
    @usableFromInline func callEncoded(
        _ method: UInt16, in workspace: CallWorkspace, timeout: Duration?, patience: CallPatience?
    ) throws(CallFailure) -> Int {
        // SAFETY: only this caller uses the workspace.
        if let failure = unsafe workspace.memory.pointee.encoder.failure { throw .unencodable(failure) }
        var target = unsafe workspace.room.mutableBytes
        return try unsafe workspace.memory.pointee.encoder.withWritten { (payload) throws(CallFailure) in
            try callRaw(
                method, payload: payload, into: &target, timeout: timeout, patience: patience, workspace: workspace)
        }
    }

    @usableFromInline func callEncodedAndPoll(
        _ method: UInt16, in workspace: CallWorkspace, timeout: Duration?, patience: CallPatience?
    ) throws(CallFailure) -> LedCall {
        // SAFETY: as in `callEncoded`.
        if let failure = unsafe workspace.memory.pointee.encoder.failure { throw .unencodable(failure) }
        return try unsafe workspace.memory.pointee.encoder.withWritten { (payload) throws(CallFailure) in
            try callAndPoll(
                method, payload: payload, in: workspace, timeout: timeout, patience: patience,
                mostReply: MessageLimits.standard.bytes)
        }
    }

    var limits: MessageLimits {
        // Even if the ring is larger, a message must not have more bytes than a decoder accepts.
        let most = max(largestFrame, state.configuration.hostArena > 0 ? Int(state.configuration.largestMessage) : 0)
        return MessageLimits(
            bytes: min(most, MessageLimits.standard.bytes), fields: MessageLimits.standard.fields,
            depth: MessageLimits.standard.depth)
    }
}
