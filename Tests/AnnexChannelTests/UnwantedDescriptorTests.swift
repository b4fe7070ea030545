import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Descriptors that a peer hands over but no caller takes. The tests check how many wait, when the host closes them,
/// and on which thread.
@Suite(.timeLimit(.minutes(20))) struct UnwantedDescriptorTests {
    private static let allowance = DescriptorAllowance(pieces: 16, bytes: 100_000)

    private func ask(_ channel: HostileChannel) async throws -> ChannelCall {
        try await channel.host.start(Request(method: 1, accepts: Self.allowance))
    }

    private func handOver(_ channel: HostileChannel, _ call: UInt64, _ name: String) throws {
        let memory = DescriptorList(try Descriptor.memfd(name, size: 1))
        try channel.peer.control.send(DescriptorTag(call: call, count: 1).encoded(), memory, waiting: true)
    }

    /// Returns after the host has read everything that was sent. Hangs if the host never closes the descriptor.
    private func untilClosed(_ name: String, _ channel: HostileChannel, _ writer: inout RawWriter) async throws {
        var events = channel.events.makeAsyncIterator()
        writer.send(RawPeer.frame(6, [1], method: 3))
        _ = await events.next()
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `FD-03: an open call accepts its descriptors only once`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        _ = try await ask(channel)
        for _ in 0..<2 { try handOver(channel, 1, "annex-twice") }
        #expect(await channel.violation() == .descriptorsNotAskedFor(count: 1, call: 1))
        try await OpenDescriptors.untilNone(naming: "annex-twice")
    }

    @Test func `FD-03: a hand-over for a call that is over is closed at once`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (over, open) = (try await ask(channel), try await ask(channel))
        over.cancel()
        try handOver(channel, over.id, "annex-came-late")
        try await untilClosed("annex-came-late", channel, &writer)
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: over.id))
        writer.send(RawPeer.frame(3, [7], method: 1, call: open.id))
        #expect(try await open.value().payload == [7])
    }

    @Test func `FD-03: an answer takes no descriptors that came for another call`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (first, second) = (try await ask(channel), try await ask(channel))
        try handOver(channel, second.id, "annex-another")
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: first.id))
        #expect(await channel.violation() == .descriptorsMissing(call: first.id))
        try await OpenDescriptors.untilNone(naming: "annex-another")
    }

    @Test(arguments: [1, 3, 17])
    func `FD-03: an answer announces exactly the descriptors that came and were asked for`(_ count: UInt8) async throws
    {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await ask(channel)
        var list = DescriptorList(try Descriptor.memfd("annex-counted", size: 1))
        list.append(try Descriptor.memfd("annex-counted", size: 1))
        try channel.peer.control.send(DescriptorTag(call: call.id, count: 2).encoded(), consume list)
        writer.send(RawPeer.frame(3, descriptors: count, method: 1, call: call.id))
        let tooMany = ChannelViolation.descriptorsNotAskedFor(count: Int(count), call: call.id)
        #expect(await channel.violation() == (count > 16 ? tooMany : .descriptorsMissing(call: call.id)))
        try await OpenDescriptors.untilNone(naming: "annex-counted")
    }

    @Test func `FD-03: a hand-over without descriptors is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await ask(channel)
        try channel.peer.control.send(DescriptorTag(call: call.id, count: 0).encoded())
        #expect(await channel.violation() == .malformedControl(length: 16, descriptors: 0))
    }

    @Test func `FD-03: a hand-over without its mark is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await ask(channel)
        do {
            let memory = DescriptorList(try Descriptor.memfd("annex-unmarked", size: 1))
            let tag = [0] + DescriptorTag(call: call.id, count: 1).encoded().dropFirst()
            try channel.peer.control.send(tag, memory)
        }
        #expect(await channel.violation() == .malformedControl(length: 16, descriptors: 1))
        try await OpenDescriptors.untilNone(naming: "annex-unmarked")
    }

    @Test func `FD-03: hand-overs without a frame are bounded however slowly they come`() throws {
        var configuration = ChannelConfiguration()
        configuration.controlMessagesPerSecond = .max
        var inbox = ControlInbox(configuration)
        let tag = DescriptorTag(call: 1, count: 1)
        var refusal: ChannelViolation?
        do throws(ChannelViolation) {
            for _ in 0...ControlInbox.mostWaiting { try inbox.recordLate(tag, count: 1, isIncomplete: false) }
        } catch {
            refusal = error
        }
        #expect(refusal == .descriptorsNotAskedFor(count: 1, call: 1))
        #expect(inbox.count == ControlInbox.mostWaiting)
    }

    @Test func `BOMB-11: descriptors behind a socket that lingers are bounded`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let lingering = try LingeringSocket()
        let (over, _) = (try await ask(channel), try await ask(channel))
        over.cancel()
        // A child that another test forks now may be the last process to close a socket. In this case, the next
        // socket lingers here.
        for turn in 0..<8 where !channel.host.state.isClosed.load(ordering: .relaxed) {
            let before = turn * (DescriptorDisposal.mostWaiting + 3)
            try handOverLastReference(channel, over.id, to: lingering)
            try await untilTaken(before + 1, channel)
            for _ in 0...DescriptorDisposal.mostWaiting + 1 { try await handOverAtLast(channel, over.id) }
            try await untilTaken(before + DescriptorDisposal.mostWaiting + 3, channel)
        }
        #expect(await channel.violation() == .descriptorsNotAskedFor(count: 1, call: over.id))
        lingering.letGo()
        try await OpenDescriptors.untilNone(naming: "annex-behind")
    }

    /// Hands over a descriptor, unless the channel is closed. If other tests of this user have too many descriptors
    /// in flight, the function waits until there are fewer.
    private func handOverAtLast(_ channel: HostileChannel, _ call: UInt64) async throws {
        while !channel.host.state.isClosed.load(ordering: .relaxed) {
            do {
                return try handOver(channel, call, "annex-behind")
            } catch {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// The host's copy becomes the last reference. So the socket is closed only when the host closes its copy.
    private func handOverLastReference(
        _ channel: HostileChannel, _ call: UInt64, to lingering: LingeringSocket
    ) throws {
        let mayRead = try Gate()
        channel.loop.execute { try? mayRead.wait() }
        defer { mayRead.open() }
        let socket = DescriptorList(try lingering.open())
        try channel.peer.control.send(DescriptorTag(call: call, count: 1).encoded(), socket)
    }

    /// Waits until the host has read this many hand-overs, or until the channel is closed.
    private func untilTaken(_ count: Int, _ channel: HostileChannel) async throws {
        while !channel.host.state.isClosed.load(ordering: .relaxed),
            channel.host.leader.control.inbox.withLock({ $0.count < count })
        {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    @Test func `FD-03: descriptors that wait for an answer are closed when the call is given up`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let (given, open) = (try await ask(channel), try await ask(channel))
        try handOver(channel, given.id, "annex-given-up")
        while channel.host.leader.control.inbox.withLock({ !$0.hasHandOver }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        given.cancel()
        try await untilClosed("annex-given-up", channel, &writer)
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: given.id))
        writer.send(RawPeer.frame(3, [7], method: 1, call: open.id))
        #expect(try await open.value().payload == [7])
    }

    @Test func `FD-03: descriptors that wait for a frame are closed with the channel`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        _ = try await ask(channel)
        try handOver(channel, 1, "annex-ended")
        while channel.host.leader.control.inbox.withLock({ !$0.hasHandOver }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        channel.host.end(with: "over")
        try await OpenDescriptors.untilNone(naming: "annex-ended")
    }

    @Test
    func `LIFE-05: a hundred answers with sealed memory arrive though the host reads none meanwhile`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        var calls: [ChannelCall] = []
        for _ in 0..<100 { calls.append(try await ask(channel)) }
        let (host, peer) = (channel.host, channel.peer)
        // Another thread holds the ring and is slow, so only the socket is read.
        let frames = try host.leader.receiving.withLock { _ in
            var frames: [UInt8] = []
            for call in calls {
                let memory = DescriptorList(try SealedMemory(copying: [1]).takeDescriptor())
                try peer.control.send(DescriptorTag(call: call.id, count: 1).encoded(), memory, waiting: true)
                frames += RawPeer.frame(3, descriptors: 1, method: 1, call: call.id)
            }
            // The loop waits until all descriptors are read, each before its frame.
            while host.leader.control.inbox.withLock({ $0.count < 100 && !host.state.isClosed.load(ordering: .relaxed) }
            ) { usleep(1000) }
            return frames
        }
        writer.send(frames)
        for call in calls { #expect(try await call.value().sealed.count == 1) }
    }

    @Test(arguments: [1, 17, 253])
    func `BOMB-11: a socket that lingers delays only the thread that closes it`(_ place: Int) async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await ask(channel)
        let lingering = try LingeringSocket()
        let mayRead = try Gate()
        channel.loop.execute { try? mayRead.wait() }
        do {
            // The host's copy becomes the last reference. The host must read nothing before this descriptor is gone.
            let other = try Descriptor.memfd("annex-other", size: 1)
            let socket = try lingering.open()
            let tag = DescriptorTag(call: 1, count: UInt32(place)).encoded()
            let list = [Int32](repeating: other.number, count: place - 1) + [socket.number]
            #expect(sendMany(channel.peer.control.descriptor.number, tag, list) == tag.count)
        }
        mayRead.open()
        writer.send(RawPeer.frame(3, descriptors: 1, method: 1, call: 1))
        #expect(await channel.violation() != nil)
        await #expect(throws: CallFailure.self) { _ = try await call.value() }
        lingering.letGo()
    }

    @Test func `BOMB-11: descriptors of an empty message are not closed by the thread that reads`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let call = try await ask(channel)
        let lingering = try LingeringSocket()
        // The reader waits until the message holds the last reference to the socket.
        let gate = try Gate()
        channel.loop.execute { try? gate.wait() }
        do {
            let socket = DescriptorList(try lingering.open())
            #expect(sendMany(channel.peer.control.descriptor.number, [], socket.numbers) == 0)
        }
        gate.open()
        // Closing the socket takes longer than any test, but the reader must continue.
        #expect(await channel.violation() == .malformedControl(length: 0, descriptors: 1))
        await #expect(throws: CallFailure.self) { _ = try await call.value() }
        lingering.letGo()
    }

    @Test func `a hand-over is found behind more doorbells than one turn of the loop reads`() async throws {
        let channel = try HostileChannel { $0.controlMessagesPerSecond = 100_000 }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let socket = channel.peer.control.descriptor.number
        var room: Int32 = 1 << 20
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let gate = try Gate()
        channel.loop.execute { try? gate.wait() }
        let host = channel.host
        let caller = ExtensionThread(raw: {
            let reply = try? host.callAndWait(Request(method: 1, accepts: Self.allowance))
            #expect(reply?.sealed.count == 1)
        })
        while host.counters.framesSent < 1 { sched_yield() }
        for _ in 0..<ControlInbox.mostAtOnce + 4 { try channel.peer.control.send(WireFormat.doorbell) }
        let memory = try Descriptor.memfd("annex-behind-bells", size: 0)
        try memory.writeAll([1, 2, 3])
        try memory.addSeals(.immutable)
        try channel.peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), DescriptorList(memory))
        channel.peer.show(RawPeer.frame(3, descriptors: 1, method: 1, call: 1), at: writer.position)
        channel.peer.header(at: writer.position).wake()
        caller.join()
        gate.open()
    }

    @Test func `BOMB-11: an unread socket that lingers does not delay the release of a channel`() async throws {
        let loop = try EventLoop()
        let lingering = try LingeringSocket()
        do {
            let ends = try HostEndpoint.make(eventLoop: loop)
            let host = ends.host
            let peer = try RawPeer(ends.descriptors)
            host.end(with: "over")
            // With this setting, the socket behaves as on an older kernel.
            _ = host.leader.control.socket.setPassRights(true)
            do {
                let socket = DescriptorList(try lingering.open())
                try peer.control.send(DescriptorTag(call: 1, count: 1).encoded(), socket)
            }
            withExtendedLifetime(host) {}
        }
        await withCheckedContinuation { turn in loop.execute { turn.resume() } }
        loop.shutDown()
        lingering.letGo()
    }
}
