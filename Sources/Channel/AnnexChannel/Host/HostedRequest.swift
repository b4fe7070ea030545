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
    /// Held, so that the channel lives until the answer.
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
            leader.sender.failHosted(call, method, code: HandlerFailure.droppedCode, text: "no answer was given")
        }
    }

    /// How long the extension still waits; nil: without limit.
    public var timeLeft: Duration? {
        deadline.map { .nanoseconds(Int64(clamping: MonotonicClock.remaining(until: $0))) }
    }

    /// Whether the answer would be for nobody: the extension has given up, its time is over, or it is gone.
    public var isCancelled: Bool {
        if deadline.map({ MonotonicClock.remaining(until: $0) == 0 }) ?? false { return true }
        return !leader.state.hosted.withLock { $0.isAwaited(call) }
    }

    /// Answers. Never waits for the extension: what its ring has no room for is sent when it has.
    /// - Throws: `payloadTooLarge`, and the extension gets a failure that says so.
    public consuming func reply(_ payload: [UInt8] = []) throws(CallFailure) {
        let most = leader.state.largestFrame
        isAnswered = true
        guard payload.count <= most else {
            leader.sender.failHosted(call, method, code: HandlerFailure.tooLargeCode, text: "the answer is too large")
            throw .payloadTooLarge(bytes: payload.count, most: most)
        }
        leader.sender.answerHosted(call, FrameHeader(kind: .reply, method: method, call: call), payload)
    }

    /// Answers that there is no answer.
    /// - Parameter text: for people; at most 512 bytes of it.
    public consuming func fail(code: UInt32, text: String) {
        isAnswered = true
        leader.sender.failHosted(call, method, code: code, text: text)
    }
}

// Calls that the extension makes of its host. They cost it its budget of frames, are bounded in number, and are
// answered without ever waiting for it.
extension HostedRequest {
    /// A request, or the end of one.
    static func handle(_ frame: Frame, _ leader: RingLeader) throws(ChannelViolation) {
        guard frame.descriptors == 0, frame.kind == .request || frame.payload.isEmpty else {
            throw .malformed(kind: frame.kind.rawValue, length: frame.payload.count)
        }
        let state = leader.state
        guard frame.kind == .request else {
            // The extension does not wait any more. The call counts until its answer, which nobody gets then.
            guard state.hosted.withLock({ $0.cancel(frame.call) }) else { throw .unknownCall(frame.call) }
            return
        }
        guard let handle = state.handlers.onRequest else {
            guard state.hosted.withLock({ $0.accept(frame.call) }) else { throw .unknownCall(frame.call) }
            return refuse(frame, leader.sender, HandlerFailure.unknownMethodCode, "nobody serves calls here")
        }
        let most = state.configuration.mostHostedCalls
        switch state.hosted.withLock({ $0.admit(frame.call, atMost: most) }) {
        case .outOfTurn: throw .unknownCall(frame.call)
        case .busy: return refuse(frame, leader.sender, HandlerFailure.busyCode, "more than \(most) calls open")
        case .admitted: break
        }
        state.tell { [weak leader] in
            if let leader { handle(HostedRequest(frame, leader: leader)) }
        }
    }

    private static func refuse(_ frame: Frame, _ sender: RingSender, _ code: UInt32, _ text: String) {
        sender.sendSoon(
            OutgoingFrame(
                header: FrameHeader(kind: .failure, method: frame.method, call: frame.call),
                payload: StreamFrame.reset(code: code, text)))
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

    /// What becomes of a new call.
    enum Admission {
        /// Its number is not the one after the last.
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
