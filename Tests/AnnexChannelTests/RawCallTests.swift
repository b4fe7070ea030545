import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Calls of plain bytes, and posts, which are messages of plain bytes without an answer. The general rules of the
/// channel apply to both.
@Suite(.timeLimit(.minutes(20))) struct RawCallTests {
    private func server(
        _ waiting: WaitingStyle = .adaptive, capacity: UInt32 = 65536
    ) throws -> (HostEndpoint, ExtensionThread) {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = waiting
        configuration.hostCapacity = capacity
        configuration.extensionCapacity = capacity
        let ends = try HostEndpoint.make(configuration: configuration)
        let thread = ExtensionThread(ends.descriptors, waiting: waiting) { endpoint in
            try endpoint.sayHello()
            var posts = 0
            try endpoint.serve(
                { method, request, reply in
                    switch method {
                    case 1: echo(request, &reply)
                    case 2: -42
                    default: store(posts, &reply)
                    }
                },
                post: { method, message in
                    posts += message.byteCount
                    return method != ExtensionThread.endMethod
                })
        }
        return (ends.host, thread)
    }

    @Test(arguments: [WaitingStyle.spin, .adaptive, .block], [4096, 65536] as [UInt32])
    func `a raw call returns its answer in every waiting style and at every size`(
        _ waiting: WaitingStyle, _ capacity: UInt32
    ) throws {
        let (host, thread) = try server(waiting, capacity: capacity)
        for size in [0, 1, 47, 48, 49, 64, 111, 112, 113, 1000, host.largestFrame] {
            let question = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(try ask(host, 1, question) == question)
            #expect(try ask(host, 1, question, timeout: .patience) == question)
        }
        for turn in 0..<(waiting == .spin ? 300 : 3000) {
            let question = [UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: turn % 300)
            #expect(try ask(host, 1, question) == question)
        }
        host.finish(thread)
    }

    @Test func `a request body that uses the endpoint that serves it gets a failure`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve(
                { method, _, _ in
                    do throws(ExtensionFailure) {
                        switch method {
                        case 1: try endpoint.sendAndWait(ChannelEvent(method: 3))
                        case 2: _ = try endpoint.next()
                        case 3: _ = try endpoint.callAndWait(5)
                        case 4: _ = try endpoint.openStream(1)
                        default: try endpoint.serve({ _, _, _ in 0 })
                        }
                        return 0
                    } catch {
                        return error == .inUse ? -77 : -1
                    }
                },
                post: { method, _ in
                    if method != ExtensionThread.endMethod { try? endpoint.sendAndWait(ChannelEvent(method: 3)) }
                    return method != ExtensionThread.endMethod
                })
        }
        try host.sendAndWait(ChannelEvent(method: 9))
        for method in 1...5 as ClosedRange<UInt16> {
            #expect(throws: CallFailure.failed(code: 77, text: "")) { try ask(host, method, []) }
            // This call has terms, such as a time limit, so it is not a raw call, and another path serves it.
            #expect(throws: CallFailure.failed(code: 77, text: "")) { try ask(host, method, [], timeout: .patience) }
            #expect(throws: CallFailure.failed(code: 77, text: "")) {
                _ = try host.callAndWait(Request(method: method))
            }
        }
        host.finish(thread)
    }

    @Test func `posts arrive in order and before the next call`() throws {
        let (host, thread) = try server()
        var sum = 0
        for turn in 0..<20_000 {
            let size = turn % 70
            try host.post(3, payload: [UInt8](repeating: 0, count: size).span.bytes, flush: turn % 7 == 0)
            sum += size
            if turn % 1000 == 0 { #expect(try number(ask(host, 3, [])) == sum) }
        }
        host.flush()
        #expect(try number(ask(host, 3, [])) == sum)
        host.finish(thread)
    }

    @Test func `a post that is held back stays invisible until the flush`() throws {
        let channel = try HostileChannel()
        let ring = channel.peer.host.start + RegionLayout.ring
        try channel.host.post(3, payload: [1].span.bytes, flush: false)
        try channel.host.post(3, payload: [2].span.bytes, flush: false)
        #expect(ring.load(as: UInt64.self) == 0)
        channel.host.flush()
        #expect(ring.load(as: UInt8.self) == 6)
    }

    @Test func `a raw call that its extension fails throws the code of the failure`() throws {
        let (host, thread) = try server()
        #expect(throws: CallFailure.failed(code: 42, text: "")) { try ask(host, 2, [1]) }
        host.finish(thread)
    }

    @Test func `an answer beyond the room of its caller is a named failure and harms nothing`() throws {
        let (host, thread) = try server()
        for size in [5, 10] {
            #expect(throws: CallFailure.payloadTooLarge(bytes: size, most: 4)) {
                try ask(host, 1, [UInt8](repeating: 1, count: size), room: 4)
            }
        }
        #expect(try ask(host, 1, [1, 2, 3]) == [1, 2, 3])
        host.finish(thread)
    }

    @Test func `raw and other calls of many threads all get their own answers`() throws {
        let (host, thread) = try server()
        let callers = (0..<6).map { index in
            ExtensionThread(raw: {
                for turn in 0..<1500 {
                    let question = [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: turn)]
                    let answer =
                        index % 2 == 0
                        ? try? ask(host, 1, question)
                        : try? host.callAndWait(Request(method: 1, payload: question)).payload
                    #expect(answer == question)
                }
            })
        }
        for turn in 0..<500 {
            try host.post(3, payload: [1].span.bytes, flush: turn % 3 == 0)
            try host.pingAndWait(timeout: .patience)
        }
        for caller in callers { caller.join() }
        host.finish(thread)
    }

    @Test func `a deadline ends a raw call and its late answer harms nothing`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        #expect(throws: CallFailure.deadlineExceeded) {
            try ask(channel.host, 1, [1], timeout: .milliseconds(10))
        }
        writer.send(RawPeer.frame(3, [9], method: 1, call: 1 << 63 | 1))
        let call = try await channel.host.start(Request(method: 1))
        writer.send(RawPeer.frame(3, [4], method: 1, call: 1))
        #expect(try await call.value().payload == [4])
        #expect(channel.host.counters.lateReplies == 1)
    }

    @Test func `the time of a raw call starts at the call and includes frames before its answer`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let host = channel.host
        let found = Mutex<UInt64?>(nil)
        let caller = ExtensionThread(raw: {
            var (deadline, reply) = (nil as UInt64?, [UInt8](repeating: 0, count: 4))
            reply.withUnsafeMutableBytes { room in
                let call = RawCall(
                    method: 1, payload: UnsafeRawBufferPointer(start: nil, count: 0), reply: room, limit: nil,
                    patience: MonotonicClock.nanoseconds(.patience), mostReply: 0)
                _ = try? host.leader.call(call, for: .thread, until: &deadline)
            }
            found.withLock { $0 = deadline }
        })
        // The caller has read the clock before it sleeps.
        while host.counters.sleeps == 0 { sched_yield() }
        let answered = MonotonicClock.now()
        writer.send(RawPeer.frame(3, [9], method: 1, call: 1 << 63 | 1))
        caller.join()
        let deadline = try #require(found.withLock { $0 })
        #expect(deadline < answered + MonotonicClock.nanoseconds(.patience))
    }

    @Test func `IPC-08: an answer to a raw call that was never made is refused`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        writer.sendHello()
        writer.send(RawPeer.frame(3, method: 1, call: 1 << 63 | 1))
        #expect(await channel.violation() == .unknownCall(1 << 63 | 1))
    }

    @Test(
        arguments: [
            (3, 0, 2, ChannelViolation.wrongMethod(call: 1 << 63 | 1, 2, asked: 1)), (8, 0, 1, .unexpectedKind(8)),
            (3, 1, 1, .descriptorsNotAskedFor(count: 1, call: 1 << 63 | 1)), (6, 0, 1, .unexpectedKind(6)),
            (4, 0, 1, .malformed(kind: 4, length: 0)),
        ] as [(UInt8, UInt8, UInt16, ChannelViolation)])
    func `IPC-08: a frame that does not answer the raw call that waits is refused`(
        _ kind: UInt8, _ descriptors: UInt8, _ method: UInt16, _ expected: ChannelViolation
    ) async throws {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let caller = ExtensionThread(raw: {
            #expect(throws: CallFailure.violated(expected)) { try ask(host, 1, [1]) }
        })
        while channel.peer.host.start.load(fromByteOffset: RegionLayout.ring, as: UInt64.self) == 0 { sched_yield() }
        writer.send(RawPeer.frame(kind, descriptors: descriptors, method: method, call: 1 << 63 | 1))
        caller.join()
    }

    @Test(arguments: [true, false])
    func `BOMB-09, START-05: an answer to a raw call has a valid length and follows the hello`(_ greets: Bool)
        async throws
    {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        if greets { try await channel.greet(&writer) }
        let expected = greets ? ChannelViolation.length(40_000, room: 32_768) : .noHello(kind: 3)
        let caller = ExtensionThread(raw: {
            #expect(throws: CallFailure.violated(expected)) { try ask(host, 1, [1]) }
        })
        while channel.peer.load(host: RegionLayout.ring) == 0 { sched_yield() }
        writer.send(RawPeer.header(length: greets ? 40_000 : 0, kind: 3, method: 1, call: 1 << 63 | 1))
        caller.join()
    }

    @Test func `IPC-08: a raw call does not take the answer of an earlier one`() async throws {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        #expect(throws: CallFailure.deadlineExceeded) { try ask(host, 1, [1], timeout: .milliseconds(10)) }
        let caller = ExtensionThread(raw: {
            let answer = try? ask(host, 1, [1])
            #expect(answer == [4])
        })
        // The request lies behind the first request and its cancel.
        while channel.peer.load(host: RegionLayout.ring + 128) == 0 { sched_yield() }
        writer.send(RawPeer.frame(3, [9], method: 1, call: 1 << 63 | 1))
        writer.send(RawPeer.frame(3, [4], method: 1, call: 1 << 63 | 3))
        caller.join()
        #expect(host.counters.lateReplies == 1)
    }

    @Test(arguments: [0, 1] as [UInt8])
    func `BOMB-08, FD-03: late answers to a raw call bring no descriptors and are free once`(_ descriptors: UInt8)
        async throws
    {
        let channel = try HostileChannel {
            $0.framesPerSecond = 5
            $0.budgetPeriod = .patience
        }
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let raw: UInt64 = 1 << 63 | 1
        #expect(throws: CallFailure.deadlineExceeded) { try ask(channel.host, 1, [1], timeout: .milliseconds(10)) }
        for _ in 0..<7 { writer.send(RawPeer.frame(3, descriptors: descriptors, method: 1, call: raw)) }
        let budget = ChannelViolation.messageBudget(.frames, limit: 5)
        #expect(await channel.violation() == (descriptors == 0 ? budget : .descriptorsNotAskedFor(count: 1, call: raw)))
    }

    @Test func `LIFE-06: the end of a channel ends a raw call that waits`() throws {
        for style in [WaitingStyle.spin, .adaptive, .block] {
            let channel = try HostileChannel { $0.waiting = style }
            let host = channel.host
            var writer = RawWriter(channel.peer)
            writer.sendHello()
            let caller = ExtensionThread(raw: {
                #expect(throws: CallFailure.ended(reason: "over")) { try ask(host, 1, [1]) }
            })
            while channel.peer.host.start.load(fromByteOffset: RegionLayout.ring, as: UInt64.self) == 0 {
                sched_yield()
            }
            host.end(with: "over")
            caller.join()
        }
    }

    /// There are so many posts that some arrive between two polls of the ring.
    @Test func `an extension reads posts one by one in their order`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            var buffer = [UInt8](repeating: 0, count: 100)
            for turn in 0..<60_000 {
                var span = buffer.mutableSpan
                var bytes = span.mutableBytes
                let post = try endpoint.nextPost(into: &bytes)
                guard post?.method == UInt16(turn), post?.count == turn % 100 else {
                    Issue.record("the post of turn \(turn) came as \(post.debugDescription)")
                    break
                }
            }
            try endpoint.serve {
                echo($1, &$2)
            } post: { _, _ in
                false
            }
        }
        for turn in 0..<60_000 {
            try host.post(
                UInt16(turn), payload: [UInt8](repeating: 1, count: turn % 100).span.bytes, flush: turn % 5 != 0)
        }
        host.finish(thread)
    }
}

private func echo(_ request: RawSpan, _ reply: inout MutableRawSpan) -> Int {
    request.withUnsafeBytes { source in reply.withUnsafeMutableBytes { $0.copyMemory(from: source) } }
    return request.byteCount
}

private func store(_ number: Int, _ reply: inout MutableRawSpan) -> Int {
    reply.withUnsafeMutableBytes { $0.storeBytes(of: number, as: Int.self) }
    return 8
}

private func number(_ bytes: [UInt8]) -> Int {
    bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
}
