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
            endpoint.failHosted(call, method, code: HandlerFailure.droppedCode, text: "no answer was given")
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

/// The calls that an extension has made and that have no answer yet. Taking one out is what allows its answer to be
/// sent: so each is answered at most once. One that the extension has given up counts all the same until then, since
/// whoever works on it does not stop by that.
struct HostedCalls: Sendable {
    private var open: Set<UInt64> = []
    /// Those of them that nobody waits for any more.
    private var cancelled: Set<UInt64> = []
    private var last: UInt64 = 0
    private var isClosed = false

    var count: Int { open.count }

    func isAwaited(_ call: UInt64) -> Bool { open.contains(call) && !cancelled.contains(call) }

    /// Takes a new call's number, which must be the one after the last.
    mutating func accept(_ call: UInt64) -> Bool {
        guard call == last &+ 1 else { return false }
        last = call
        return true
    }

    mutating func insert(_ call: UInt64) {
        if !isClosed { open.insert(call) }
    }

    /// - Returns: whether somebody waits for its answer.
    mutating func takeOut(_ call: UInt64) -> Bool {
        let isAwaited = cancelled.remove(call) == nil
        return open.remove(call) != nil && isAwaited
    }

    /// - Returns: whether the call was ever made.
    mutating func cancel(_ call: UInt64) -> Bool {
        if open.contains(call) { cancelled.insert(call) }
        return call > 0 && call <= last
    }

    mutating func close() {
        isClosed = true
        open = []
        cancelled = []
    }
}
