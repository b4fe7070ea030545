package import AnnexLinux
internal import Synchronization

/// A request that an extension sends to its host. Each request gets exactly one answer, because the value cannot be
/// copied. If the host drops the value without an answer, the channel sends a failure.
public struct HostedRequest: ~Copyable, Sendable {
    /// The method that the extension calls. Host and extension choose these numbers themselves.
    public let method: UInt16
    /// The request's bytes, copied. They come from untrusted code; only their number is checked.
    public let payload: [UInt8]
    let call: UInt64
    /// When the extension stops waiting, on `MonotonicClock`; nil: never.
    private let deadline: UInt64?
    /// Keeps the channel alive until the answer.
    private let leader: RingLeader
    private var isAnswered = false

    init(_ frame: Frame, leader: RingLeader) {
        method = frame.method
        payload = frame.payload
        call = frame.call
        deadline =
            frame.terms.limit == .max
            ? nil : MonotonicClock.deadline(after: .nanoseconds(Int64(clamping: frame.terms.limit)))
        self.leader = leader
    }

    deinit {
        if !isAnswered {
            leader.sender.failHosted(
                call, method: method, code: HandlerFailure.droppedCode, text: "no answer was given")
        }
    }

    /// How long the extension still waits; nil: without limit.
    public var timeLeft: Duration? {
        deadline.map { .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: $0))) }
    }

    /// Whether the extension no longer waits for the answer: it has given the request up, the request's time is over,
    /// or the channel has closed.
    public var isCancelled: Bool {
        if deadline.map({ MonotonicClock.remaining(until: $0) == 0 }) ?? false { return true }
        return !leader.state.hosted.withLock { $0.isAwaited(call) }
    }

    /// Sends the answer. This method never waits for the extension. If the ring has no room, the answer is sent later.
    /// - Throws: `payloadTooLarge` if the answer is too large. The extension then gets a failure with that cause.
    public consuming func reply(_ payload: [UInt8] = []) throws(CallFailure) {
        let most = leader.state.largestFrame
        isAnswered = true
        guard payload.count <= most else {
            leader.sender.failHosted(
                call, method: method, code: HandlerFailure.tooLargeCode, text: "the answer is too large")
            throw .payloadTooLarge(bytes: payload.count, most: most)
        }
        leader.sender.answerHosted(
            call, header: FrameHeader(kind: .reply, method: method, call: call), payload: payload)
    }

    /// Sends an answer that makes the extension call again. The extension's next call about items on demand does not
    /// count against the extension's budget of frames.
    package consuming func replyInvitingAnother(_ payload: [UInt8]) throws(CallFailure) {
        leader.state.expected.add(1)
        try reply(payload)
    }

    /// Sends the answer with a descriptor. The extension gets the descriptor when it reads the answer.
    /// - Throws: the failure of handing over the descriptor. The extension then gets a failure with that cause.
    package consuming func reply(_ payload: [UInt8], handingOver descriptor: consuming Descriptor) throws(CallFailure) {
        isAnswered = true
        try leader.sender.answerHosted(
            call, header: FrameHeader(kind: .reply, descriptors: 1, method: method, call: call), payload: payload,
            descriptors: DescriptorList(descriptor))
    }

    /// Answers the request with a failure.
    /// - Parameters:
    ///   - code: the failure's code.
    ///   - text: a text for people. At most its first 512 bytes are sent.
    public consuming func fail(code: UInt32, text: String) {
        isAnswered = true
        leader.sender.failHosted(call, method: method, code: code, text: text)
    }
}

// Calls from the extension to its host. These calls count against the extension's budget of frames, and their number is
// limited. The host answers the calls without ever waiting for the extension.
extension HostedRequest {
    /// Handles a request frame, or a cancel frame for an earlier request.
    static func handle(_ frame: Frame, leader: RingLeader) throws(ChannelViolation) {
        guard frame.descriptors == 0, frame.kind == .request || frame.payload.isEmpty else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let state = leader.state
        guard frame.kind == .request else {
            // The extension stopped waiting. The call still counts as open until the host's handler answers it, and the
            // host drops that answer.
            guard state.hosted.withLock({ $0.cancel(frame.call) }) else { throw .unknownCall(frame.call) }
            return
        }
        guard let handle = state.handlers.onRequest else {
            guard state.hosted.withLock({ $0.accept(frame.call) }) else { throw .unknownCall(frame.call) }
            return reject(
                frame, sender: leader.sender, code: HandlerFailure.unknownMethodCode, text: "this host serves no calls")
        }
        let most = state.configuration.mostHostedCalls
        switch state.hosted.withLock({ $0.admit(frame.call, atMost: most) }) {
        case .outOfTurn: throw .unknownCall(frame.call)
        case .busy:
            return reject(
                frame, sender: leader.sender, code: HandlerFailure.busyCode, text: "more than \(most) calls are open")
        case .admitted: break
        }
        state.runHandler { [weak leader] in
            if let leader { handle(HostedRequest(frame, leader: leader)) }
        }
    }

    private static func reject(_ frame: Frame, sender: RingSender, code: UInt32, text: String) {
        sender.sendSoon(
            OutgoingFrame(
                header: FrameHeader(kind: .failure, method: frame.method, call: frame.call),
                payload: StreamFrame.reset(code: code, text)))
    }
}

/// The extension's calls that have no answer yet. The host sends an answer only if it removes the call from this set,
/// so each call gets at most one answer. If the extension gives a call up, the call still counts as open until its
/// handler answers it. The handler continues to work on the call until then.
struct HostedCalls: Sendable {
    private var open: Set<UInt64> = []
    /// The open calls that the extension has given up.
    private var cancelled: Set<UInt64> = []
    private var last: UInt64 = 0
    private var isClosed = false

    var count: Int { open.count }

    func isAwaited(_ call: UInt64) -> Bool { open.contains(call) && !cancelled.contains(call) }

    /// Accepts a new call's number, which must be one more than the last call's number.
    mutating func accept(_ call: UInt64) -> Bool {
        guard call == last &+ 1 else { return false }
        last = call
        return true
    }

    /// Whether a new call is admitted, or why it is not.
    enum Admission {
        /// The call's number is not one more than the last call's number.
        case outOfTurn
        case busy
        case admitted
    }

    mutating func admit(_ call: UInt64, atMost most: Int) -> Admission {
        guard accept(call) else { return .outOfTurn }
        guard count < most else { return .busy }
        if !isClosed { open.insert(call) }
        return .admitted
    }

    /// - Returns: whether the call was open and the extension still waits for its answer.
    mutating func remove(_ call: UInt64) -> Bool {
        let isAwaited = cancelled.remove(call) == nil
        return open.remove(call) != nil && isAwaited
    }

    /// - Returns: whether a call with this number was ever made.
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
