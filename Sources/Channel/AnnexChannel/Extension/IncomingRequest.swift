public import AnnexLinux

/// A request that waits for its one answer. Let go without one, it answers a failure by itself.
public struct IncomingRequest: ~Copyable {
    /// The failure code of a request that was let go without an answer.
    public static let droppedCode: UInt32 = HandlerFailure.droppedCode

    /// What is asked; the caller's own numbering.
    public let method: UInt16
    /// The caller's bytes.
    public let payload: [UInt8]
    /// What the answer may hand over.
    public let accepts: DescriptorAllowance
    /// What the caller handed over and nobody has taken yet.
    public var descriptors: DescriptorList
    let call: UInt64
    /// The moment of `MonotonicClock` at which the caller stops waiting; nil: never.
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
            // The host may be gone; then there is nobody to tell.
            try? core.fail(call, method: method, code: IncomingRequest.droppedCode, text: "no answer was given")
        }
    }

    /// The first of what the caller handed over that is left, now this side's own.
    public mutating func takeFirstDescriptor() -> Descriptor? {
        descriptors.takeFirst()
    }

    /// How long the caller still waits; nil: without limit.
    public var timeLeft: Duration? {
        deadline.map { .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: $0))) }
    }

    /// Whether the caller has given up or its time is over: the answer would be for nobody. Looks at the channel, so
    /// long work should ask from time to time.
    public func isCancelled() throws(ExtensionFailure) -> Bool {
        if deadline.map({ MonotonicClock.remaining(until: $0) == 0 }) ?? false { return true }
        return try core.isCancelled(call)
    }

    /// The largest payload of an answer.
    var largestPayload: Int { core.largestPayload }

    /// Answers.
    /// - Parameters:
    ///   - payload: at most the endpoint's `largestPayload`.
    ///   - sealed: at most what the caller accepts.
    public consuming func reply(
        _ payload: [UInt8] = [], sealed: consuming SealedPieces = SealedPieces()
    ) throws(ExtensionFailure) {
        guard sealed.count <= accepts.pieces, sealed.bytes <= accepts.bytes else {
            throw .notAccepted(pieces: sealed.count, bytes: sealed.bytes)
        }
        try core.reply(call, method: method, payload: payload, sealed: sealed, isAttended: isAttended)
        isAnswered = true
    }

    /// Answers with bytes that are lent for the call.
    consuming func reply(raw payload: UnsafeRawBufferPointer) throws(ExtensionFailure) {
        try unsafe core.send(
            FrameHeader(kind: .reply, method: method, call: call), payload, isAttended: isAttended)
        isAnswered = true
    }

    /// Answers that there is no answer.
    /// - Parameter text: for people; cut to what fits.
    public consuming func fail(code: UInt32, text: String) throws(ExtensionFailure) {
        try core.fail(call, method: method, code: code, text: text)
        isAnswered = true
    }
}

/// What an extension can be told.
public enum Incoming: ~Copyable {
    /// Something to answer.
    case request(IncomingRequest)
    /// A one-way message.
    case event(ChannelEvent)
}
