internal import AnnexChannel
internal import AnnexLinux
internal import Synchronization

/// The state of a running replay.
struct ReplayRun {
    let channel: HostEndpoint
    let inbox: ReplayInbox
    let patience: Duration
    /// The host's calls that have no answer yet, by their recorded numbers.
    private var calls: [UInt64: ChannelCall] = [:]
    /// The extension's calls that have no answer yet, by their recorded numbers.
    private var requests: [UInt64: HeldRequest] = [:]

    init(channel: HostEndpoint, inbox: ReplayInbox, patience: Duration) {
        self.channel = channel
        self.inbox = inbox
        self.patience = patience
    }

    /// - Returns: the difference; nil if there is no difference.
    mutating func perform(_ step: ReplayStep) async throws -> ReplayDifference? {
        switch step {
        case .call(let frame, let message): return try await call(frame, message: message)
        case .cancel(let call): calls.removeValue(forKey: call)?.cancel()
        case .post(let frame): try await channel.send(ChannelEvent(method: frame.method, payload: frame.payload))
        case .answer(let frame): answer(frame)
        case .expect(let frame, let message): return await expect(frame, message: message)
        }
        return nil
    }

    /// The first event or call that the extension sent in addition to the recorded messages; nil if there is no
    /// additional message.
    func leftOver() -> ReplayDifference? {
        for arrival in inbox.left {
            switch arrival {
            case .event(let event):
                return ReplayDifference(
                    message: 0, subject: "", what: "the extension sent one more event (method \(event.method))")
            case .request(let method, _, _):
                return ReplayDifference(
                    message: 0, subject: "", what: "the extension made one more call (method \(method))")
            case .over, .tooLate: continue
            }
        }
        return nil
    }

    private mutating func call(_ frame: RecordedFrame, message: Int) async throws -> ReplayDifference? {
        var descriptors = DescriptorList()
        for piece in frame.pieces { descriptors.append(try Self.sealed(piece.contents)) }
        let accepts = DescriptorAllowance(
            pieces: Int(clamping: min(frame.mostPieces, UInt64(ControlSocket.mostDescriptors))),
            bytes: frame.mostBytes)
        do throws(CallFailure) {
            calls[frame.call] = try await channel.start(
                Request(
                    method: frame.method, payload: frame.payload, descriptors: descriptors, accepts: accepts,
                    mostReply: .max),
                timeout: patience)
            return nil
        } catch {
            return frame.difference(message, what: "the host could not send it: \(error)")
        }
    }

    private static func sealed(_ contents: [UInt8]) throws(SystemError) -> Descriptor {
        let memory = try Descriptor.memfd("annex-replay", size: 0)
        try memory.writeAll(contents)
        try memory.addSeals(.immutable)
        return memory
    }

    private mutating func answer(_ frame: RecordedFrame) {
        guard let request = requests.removeValue(forKey: frame.call)?.take() else { return }
        if frame.kind == FrameKind.reply.rawValue {
            // The recorded answer fits, unless the ring is smaller than the ring of the recorded channel. If the answer
            // does not fit, the extension gets a failure.
            try? request.reply(frame.payload)
        } else {
            let code = WireBytes.number(frame.payload, at: 0, as: UInt32.self) ?? 0
            request.fail(code: code, text: String(decoding: frame.payload.dropFirst(4), as: UTF8.self))
        }
    }

    private mutating func expect(_ frame: RecordedFrame, message: Int) async -> ReplayDifference? {
        if frame.kind == FrameKind.reply.rawValue || frame.kind == FrameKind.failure.rawValue {
            return await expectAnswer(frame, message: message)
        }
        switch (await inbox.next(within: patience, loop: channel.loop), frame.kind) {
        case (.event(let event), FrameKind.event.rawValue) where event.method == frame.method:
            return frame.difference(message, from: event.payload)
        case (.request(frame.method, let payload, let request), FrameKind.request.rawValue):
            requests[frame.call] = request
            return frame.difference(message, from: payload)
        case (.event(let event), _):
            return frame.difference(message, what: "the extension sent an event (method \(event.method)) instead")
        case (.request(let method, _, _), _):
            return frame.difference(message, what: "the extension made a call (method \(method)) instead")
        case (.over(let why), _): return frame.difference(message, what: "the extension did not send it: \(why)")
        case (.tooLate, _): return frame.difference(message, what: "the extension did not send it within \(patience)")
        }
    }

    private mutating func expectAnswer(_ frame: RecordedFrame, message: Int) async -> ReplayDifference? {
        // If the host cancelled the call in the recording, the answer is not compared.
        guard let call = calls.removeValue(forKey: frame.call) else { return nil }
        do throws(CallFailure) {
            let reply = try await call.value()
            guard frame.kind == FrameKind.reply.rawValue else {
                return frame.difference(
                    message, what: "the extension replied with \(reply.payload.count) bytes instead")
            }
            return frame.difference(message, from: reply.payload) ?? frame.difference(message, from: reply.sealed)
        } catch .failed(let code, let text) {
            guard frame.kind == FrameKind.failure.rawValue else {
                return frame.difference(message, what: "the extension answered with failure \(code) instead: \(text)")
            }
            return frame.difference(message, from: WireBytes.bytes(code) + Array(text.utf8))
        } catch {
            return frame.difference(message, what: "\(error)")
        }
    }
}

/// Collects, in order, the events and calls that an extension sends during a replay. One task takes and compares them.
final class ReplayInbox: Sendable {
    enum Arrival: Sendable {
        case event(ChannelEvent)
        case request(method: UInt16, payload: [UInt8], HeldRequest)
        /// The channel has ended, so nothing more arrives.
        case over(String)
        case tooLate
    }

    private struct State {
        var arrivals: [Arrival] = []
        var waiter: CheckedContinuation<Arrival, Never>?
        /// The number of waits so far. Each timer knows the number of its wait, so that the timer of an earlier wait
        /// does not end a later wait.
        var wait = 0
    }

    private let state = Mutex(State())

    func put(_ arrival: Arrival) {
        let waiter = state.withLock { state in
            guard let waiter = state.waiter else {
                state.arrivals.append(arrival)
                return nil as CheckedContinuation<Arrival, Never>?
            }
            state.waiter = nil
            return waiter
        }
        waiter?.resume(returning: arrival)
    }

    /// Waits for the next arrival, at most for `patience`.
    func next(within patience: Duration, loop: EventLoop) async -> Arrival {
        await withCheckedContinuation { continuation in
            let (ready, wait) = state.withLock { state in
                state.wait += 1
                guard state.arrivals.isEmpty else { return (state.arrivals.removeFirst() as Arrival?, state.wait) }
                state.waiter = continuation
                return (nil, state.wait)
            }
            if let ready { return continuation.resume(returning: ready) }
            loop.schedule(after: patience) { [weak self] in self?.giveUp(wait) }
        }
    }

    /// The arrivals that were not taken.
    var left: [Arrival] { state.withLock { $0.arrivals } }

    private func giveUp(_ wait: Int) {
        let waiter = state.withLock { state in
            guard state.wait == wait else { return nil as CheckedContinuation<Arrival, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: .tooLate)
    }
}
