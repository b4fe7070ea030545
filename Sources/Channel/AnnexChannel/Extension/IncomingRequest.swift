public import AnnexLinux

/// A request from the host, which gets exactly one answer. If the request is dropped without an answer, the host gets a
/// failure.
public struct IncomingRequest: ~Copyable {
    /// The failure code for a request that was dropped without an answer.
    public static let droppedCode: UInt32 = HandlerFailure.droppedCode

    /// The method that the host calls. The host and its extensions agree on the numbers.
    public let method: UInt16
    /// The request's bytes.
    public let payload: [UInt8]
    /// The sealed memory that the answer may hand over.
    public let accepts: DescriptorAllowance
    /// The descriptors that came with the request and were not taken yet.
    public var descriptors: DescriptorList
    let call: UInt64
    /// When the caller stops waiting, on `MonotonicClock`; nil: never.
    private let deadline: UInt64?
    private let isAttended: Bool
    private let core: ExtensionCore
    private var isAnswered = false

    init(_ frame: Frame, descriptors: consuming DescriptorList, core: ExtensionCore) {
        method = frame.method
        payload = frame.payload
        accepts = DescriptorAllowance(
            pieces: Int(truncatingIfNeeded: min(frame.terms.mostPieces, UInt64(ControlSocket.mostDescriptors))),
            bytes: frame.terms.mostBytes)
        self.descriptors = descriptors
        call = frame.call
        deadline =
            frame.terms.limit == .max
            ? nil : MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: frame.terms.limit)))
        isAttended = frame.isAttended
        self.core = core
    }

    deinit {
        core.close(call)
        if !isAnswered {
            // The host may have ended and need no answer, so an error is ignored.
            try? core.fail(call, method: method, code: IncomingRequest.droppedCode, text: "no answer was given")
        }
    }

    /// Takes the first of the remaining descriptors; nil if none is left.
    public mutating func popFirstDescriptor() -> Descriptor? {
        descriptors.takeFirst()
    }

    /// How long the caller still waits; nil: without limit.
    public var timeLeft: Duration? {
        deadline.map { .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: $0))) }
    }

    /// Whether the caller no longer waits for the answer, because it has given up or its time is over. This method
    /// reads the channel, so code that works for long should call the method from time to time.
    public func isCancelled() throws(ExtensionFailure) -> Bool {
        try lookout.poll()
        return isGivenUp
    }

    /// Whether the caller no longer waits, according to the frames that were read from the channel so far.
    package var isGivenUp: Bool {
        if deadline.map({ MonotonicClock.remaining(until: $0) == 0 }) ?? false { return true }
        return core.open.first { $0.call == call }?.isCancelled ?? true
    }

    /// Works on the request in a task of the extension's thread. If the host cancels the request, the task is
    /// cancelled.
    @discardableResult
    package func startTask(_ body: @escaping () async -> Void) -> Task<Void, Never> {
        core.startTask(for: call, body)
    }

    /// The channel on which the request came.
    var lookout: ExtensionLookout { ExtensionLookout(core) }

    /// The largest payload of an answer.
    var largestPayload: Int { core.largestPayload }

    /// Sends the answer.
    /// - Parameters:
    ///   - payload: at most the endpoint's `largestPayload`.
    ///   - sealed: at most as much as the caller accepts.
    /// - Throws: `ExtensionFailure.notAccepted` if the caller does not accept that much sealed memory.
    public consuming func reply(
        _ payload: [UInt8] = [], sealed: consuming SealedPieces = SealedPieces()
    ) throws(ExtensionFailure) {
        guard sealed.count <= accepts.pieces, sealed.bytes <= accepts.bytes else {
            throw .notAccepted(pieces: sealed.count, bytes: sealed.bytes)
        }
        try core.reply(call, method: method, payload: payload, sealed: sealed, isAttended: isAttended)
        isAnswered = true
    }

    /// Sends an answer whose bytes are lent until this method returns.
    consuming func reply(raw payload: UnsafeRawBufferPointer) throws(ExtensionFailure) {
        try unsafe core.send(
            FrameHeader(kind: .reply, method: method, call: call), payload: payload, isAttended: isAttended)
        isAnswered = true
    }

    /// Answers with a failure.
    /// - Parameters:
    ///   - code: the failure's code.
    ///   - text: for people; cut to the size of a frame.
    public consuming func fail(code: UInt32, text: String) throws(ExtensionFailure) {
        try core.fail(call, method: method, code: code, text: text)
        isAnswered = true
    }
}

/// A message from the host.
public enum Incoming: ~Copyable {
    /// A request to answer.
    case request(IncomingRequest)
    /// A one-way message.
    case event(ChannelEvent)
}
