internal import AnnexLinux
internal import Synchronization

/// A request that an extension makes of its host, which waits for its one answer. It cannot be copied, so it cannot be
/// answered twice; let go of without an answer, it answers a failure.
public struct HostedRequest: ~Copyable, Sendable {
    /// What is asked; the users' own numbering.
    public let method: UInt16
    /// The extension's bytes, copied: nothing is known about them but their number.
    public let payload: [UInt8]
    let call: UInt64
    /// The moment of `MonotonicClock` at which the extension stops waiting; nil: never.
    private let deadline: UInt64?
    private let endpoint: HostEndpoint
    private var isAnswered = false

    init(_ frame: Frame, endpoint: HostEndpoint) {
        method = frame.method
        payload = frame.payload
        call = frame.call
        deadline =
            frame.terms.limit == .max
            ? nil : MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: frame.terms.limit)))
        self.endpoint = endpoint
    }

    deinit {
        if !isAnswered {
            endpoint.failHosted(call, method, code: IncomingRequest.droppedCode, text: "no answer was given")
        }
    }

    /// How long the extension still waits; nil: without limit.
    public var timeLeft: Duration? {
        deadline.map { .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: $0))) }
    }

    /// Whether the answer would be for nobody: the extension has given up, its time is over, or it is gone.
    public var isCancelled: Bool {
        if deadline.map({ MonotonicClock.remaining(until: $0) == 0 }) ?? false { return true }
        return !endpoint.hosted.withLock { $0.isAwaited(call) }
    }

    /// Answers. Never waits for the extension: what its ring has no room for is sent when it has.
    /// - Throws: `payloadTooLarge`, and the extension gets a failure that says so.
    public consuming func reply(_ payload: [UInt8] = []) throws(CallFailure) {
        let most = endpoint.largestFrame
        isAnswered = true
        guard payload.count <= most else {
            endpoint.failHosted(call, method, code: HandlerFailure.tooLargeCode, text: "the answer is too large")
            throw .payloadTooLarge(bytes: payload.count, most: most)
        }
        endpoint.answerHosted(call, FrameHeader(kind: .reply, method: method, call: call), payload)
    }

    /// Answers that there is no answer.
    /// - Parameter text: for people; at most 512 bytes of it.
    public consuming func fail(code: UInt32, text: String) {
        isAnswered = true
        endpoint.failHosted(call, method, code: code, text: text)
    }
}
