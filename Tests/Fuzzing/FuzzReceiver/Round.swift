import AnnexLinux
import Glibc
import Synchronization

@testable import AnnexChannel

/// One channel's life. The fuzzer's bytes choose the acts of the host and of its peer.
struct Round: ~Copyable {
    private let bench: Bench
    private let peer: FakePeer
    private var host: HostEndpoint
    private let shelf: Shelf
    private let room = ReplyRoom()
    private var script: Script
    private var calls: [ChannelCall] = []
    private var streams: [ChannelStream] = []

    /// Runs one channel's life, and checks that no object of the channel is left afterwards.
    static func run(_ bytes: [UInt8], on bench: Bench) throws {
        let gone = try end(of: Round(bytes, on: bench))
        bench.loop.reset()
        Fuzzer.expect(gone.value == nil, "a channel that nobody holds is still there")
        bench.expectNothingOpen()
    }

    private init(_ bytes: [UInt8], on bench: Bench) throws {
        self.bench = bench
        script = Script(bytes)
        shelf = Shelf()
        (host, peer) = try bench.makeHost(Self.configuration(&script), Self.handlers(&script, shelf))
        // An older kernel does not refuse descriptors when they are sent.
        if script.byte() & 1 == 1 { _ = host.leader.control.socket.setPassRights(true) }
        if let features = Self.features(&script) { peer.perform(.hello(features)) }
    }

    private static func end(of round: consuming Round) throws -> Gone {
        var round = round
        while !round.script.isOver { round.act() }
        round.bench.waitForPeer()
        round.host.end(with: "the run is over")
        round.check()
        round.bench.loop.runJobs()
        round.shelf.clear()
        return Gone(round.host)
    }

    /// The features that the peer states; nil if it sends no hello at first.
    private static func features(_ script: inout Script) -> WireFeatures? {
        switch script.byte() {
        case ..<0xB0: [.hostedCalls, .streams, .pieces]
        // The first case is an older peer, and the second is a peer that states more features than it has.
        case ..<0xC8: [.hostedCalls, .streams]
        case ..<0xE0: .own
        default: nil
        }
    }

    private static func configuration(_ script: inout Script) -> ChannelConfiguration {
        var configuration = ChannelConfiguration()
        let choice = script.byte()
        configuration.hostCapacity = Bench.capacity
        configuration.extensionCapacity = Bench.capacity
        configuration.waiting = choice & 7 == 7 ? .block : choice & 7 == 6 ? .adaptive : .spin
        configuration.sendLimit = .zero
        configuration.streamWindow = 2048
        let large = script.byte()
        configuration.hostArena = large & 7 == 0 ? 0 : UInt32(Bench.places * Bench.piece)
        configuration.extensionArena = large & 56 == 0 ? 0 : UInt32(Bench.places * Bench.piece)
        configuration.largestMessage = large < 0xE0 ? 200_000 : 3000
        if choice & 8 != 0 { configuration.mostOpenCalls = 2 }
        if choice & 16 != 0 { configuration.mostHostedCalls = 1 }
        if choice & 32 != 0 { configuration.mostStreams = 2 }
        if choice & 64 != 0 { configuration.mostWaitingFrames = 2 }
        if choice & 128 != 0 {
            configuration.framesPerSecond = 4
            configuration.bytesPerSecond = 2000
            configuration.controlMessagesPerSecond = 3
            configuration.futileWakeUpsPerSecond = 3
        }
        return configuration
    }

    private static func handlers(_ script: inout Script, _ shelf: Shelf) -> ChannelHandlers {
        var handlers = ChannelHandlers()
        let choice = script.byte()
        if choice & 3 != 0 { handlers.onRequest = { shelf.put($0) } }
        if choice & 12 != 0 { handlers.onStream = { shelf.put($0) } }
        if choice & 16 != 0 {
            var service = HostService()
            service.serve(Word.self) { $0 }
            service.install(in: &handlers)
        }
        return handlers
    }

    /// Checks that each call and stream has ended exactly once.
    private func check() {
        room.check()
        for call in calls {
            Fuzzer.expect(call.isDone, "a call is open after its channel's end")
            if case .success(let reply) = call.outcome() { check(reply) }
        }
        for stream in streams {
            do throws(StreamFailure) {
                while try stream.receiveAndWait(timeout: .zero) != nil {}
            } catch {
                Fuzzer.expect(error != .deadlineExceeded, "a stream is open after its channel's end")
            }
        }
        Fuzzer.expect(host.state.calls.withLock { $0.count } == 0, "the table is not empty")
        Fuzzer.expect(host.leader.control.inbox.withLock { $0.count } == 0, "what was handed over is kept")
    }

    private func check(_ reply: Reply) {
        let most = max(Int(host.state.configuration.largestMessage), Int(Bench.capacity / 2))
        Fuzzer.expect(reply.payload.count <= most, "an answer of more bytes than the host takes")
    }

    private mutating func act() {
        let choice = script.byte()
        // In most cases, the peer acts next.
        guard choice & 0x80 != 0 else { return peer.perform(PeerAct(&script)) }
        if choice & 0x7C == 0x7C {
            bench.waitForPeer()
            bench.meanwhile(peer, (0..<Int(choice & 3 + 1)).map { _ in PeerAct(&script) })
        }
        switch script.number(below: 23) {
        case 0, 1: callRaw()
        case 2: look()
        case 3, 4: start()
        case 5: if let reply = try? host.callAndWait(request(), timeout: patience()) { check(reply) }
        case 6: _ = try? host.pingAndWait(timeout: patience())
        case 7: if let call = oneCall() { call.cancel() }
        case 8: if let call = oneCall(), call.deadline != nil { _ = try? call.wait() }
        case 9: post()
        case 10: _ = try? host.callAndWait(Word(number: script.word(), text: "word"), timeout: patience())
        case 11: open()
        case 12: sendOnStream()
        case 13: _ = try? oneStream()?.receiveAndWait(timeout: patience())
        case 14: endStream()
        case 15: answer()
        case 16: bench.loop.runJobs()
        case 19, 20: _ = try? oneStream()?.receiveAndWait(timeout: .zero)
        case 17: host.leader.pumpSoon()
        case 21: bench.loop.runTimers()
        case 18: if script.byte() > 0xF0 { host.end(with: "over") }
        // The loop's thread finds the control socket ready.
        default: host.leader.controlIsReady()
        }
    }
}

/// The remains of a channel after its last reference is gone.
struct Gone {
    weak var value: RingLeader?

    init(_ value: HostEndpoint) {
        self.value = value.leader
    }
}

extension Round {
    private mutating func patience() -> Duration {
        .microseconds([0, 0, 0, 0, 0, 0, 20, 200][script.number(below: 8)])
    }

    private mutating func payload() -> [UInt8] {
        [UInt8](repeating: 7, count: script.one(of: [0, 1, 40, 100, 500, 1500, host.largestPayload, 3000, 70_000]))
    }

    private mutating func request() -> Request {
        let method = UInt16(script.number(below: 3))
        let pieces = script.number(below: 4)
        let payload = payload()
        var descriptors = DescriptorList()
        if script.byte() < 0x20, let one = try? bench.make(.sealed) { descriptors.append(one) }
        return Request(
            method: method, payload: payload, descriptors: descriptors,
            accepts: DescriptorAllowance(pieces: pieces, bytes: pieces == 3 ? 4 : 10_000))
    }

    private mutating func callRaw() {
        let payload = payload()
        let method = UInt16(script.number(below: 3))
        let size = script.one(of: [0, 8, 300, 4096, 70_000, ReplyRoom.most])
        let patience = patience()
        room.lend(size) { memory in
            var reply = memory.mutableBytes
            return try? host.callAndWait(method, payload: payload.span.bytes, into: &reply, timeout: patience)
        }
    }

    /// Does the same as the call of a task does before the task suspends.
    private mutating func look() {
        let payload = payload()
        let method = UInt16(script.number(below: 3))
        guard !host.state.isLarge(payload.count) else { return }
        withUnsafeTemporaryAllocation(byteCount: 300, alignment: 1) { room in
            payload.withUnsafeBytes { question in
                let call = RawCall(
                    method: method, payload: question, reply: room, limit: MonotonicClock.nanoseconds(patience()),
                    patience: nil, mostReply: script.one(of: [0, 300, 1 << 20]))
                var deadline = call.deadline()
                if case .pending(let pending)? = try? host.leader.call(call, for: .task, until: &deadline) {
                    calls.append(pending)
                    if script.byte() & 1 == 0 { pending.setTimer() }
                }
            }
        }
    }

    private mutating func start() {
        let timeout: Duration? = script.byte() < 0x40 ? patience() : nil
        if let call = try? host.startAndWait(request(), timeout: timeout) as ChannelCall { calls.append(call) }
    }

    private mutating func oneCall() -> ChannelCall? {
        let choice = script.number(below: 8)
        return calls.isEmpty ? nil : calls[choice % calls.count]
    }

    private mutating func post() {
        let payload = payload()
        let flush = script.byte() & 1 == 0
        _ = try? host.post(1, payload: payload.span.bytes, flush: flush, timeout: .zero)
        if script.byte() & 1 == 0 { host.flush() }
    }

    private mutating func open() {
        let window = script.one(of: [1024, 2048, 65536])
        if let stream = try? host.openStream(1, arguments: [1, 2], window: window, timeout: .zero) {
            streams.append(stream)
        }
    }

    /// In most cases, the host first reads the waiting frames and notifies the owner.
    private func look(atOnce choice: UInt8) {
        guard choice < 0xE0 else { return }
        host.leader.pumpSoon()
        bench.loop.runJobs()
    }

    /// Any stream of either side; nil if there is none.
    private mutating func oneStream() -> ChannelStream? {
        look(atOnce: script.byte())
        streams += shelf.takeStreams()
        let choice = script.number(below: 4)
        return streams.isEmpty ? nil : streams[choice % streams.count]
    }

    private mutating func sendOnStream() {
        let payload = payload()
        _ = try? oneStream()?.sendAndWait(payload, timeout: patience())
    }

    private mutating func endStream() {
        guard let stream = oneStream() else { return }
        switch script.number(below: 3) {
        case 0: stream.finish()
        case 1: stream.cancel(code: 5, text: "no")
        default: streams.removeAll { $0 === stream }
        }
    }

    private mutating func answer() {
        look(atOnce: script.byte())
        guard let request = shelf.takeRequest() else { return }
        switch script.number(below: 4) {
        case 0: _ = try? request.reply(payload())
        case 1: request.fail(code: 9, text: "no")
        case 2: _ = request.isCancelled
        default: _ = request.timeLeft
        }
    }
}
