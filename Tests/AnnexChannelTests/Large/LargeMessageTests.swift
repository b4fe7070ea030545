import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexChannel

/// Messages of more than half a ring, which are sent in pieces through an arena.
@Suite(.timeLimit(.minutes(20))) struct LargeMessageTests {
    static let piece = Int(WireFormat.pieceSize)
    /// Sizes around every bound: the largest frame, a piece, and a whole arena.
    static let sizes = [40_000, piece - 1, piece, piece + 1, 4 * piece, 4 * piece + 1, 1 << 20 + 3]

    static func bytes(_ count: Int, _ seed: Int = 7) -> [UInt8] {
        // With a count of 0, the initializer would write into the empty array that all threads share.
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                buffer[index] = UInt8(truncatingIfNeeded: (index &* seed) ^ (index >> 8) ^ (index >> 16))
            }
            filled = count
        }
    }

    /// An extension whose method 1 echoes, and whose method 2 answers with as many bytes as its request states or
    /// contains.
    private func server(
        _ waiting: WaitingStyle = .adaptive, _ change: (inout ChannelConfiguration) -> Void = { _ in }
    ) async throws -> (HostEndpoint, ExtensionThread) {
        var configuration = ChannelConfiguration.patient
        configuration.waiting = waiting
        change(&configuration)
        let ends = try HostEndpoint.make(configuration: configuration)
        let thread = ExtensionThread(ends.descriptors, waiting: waiting) { endpoint in
            try endpoint.sayHello()
            var posts = 0
            try endpoint.serve { method, request, reply in
                request.withUnsafeBytes { request in
                    reply.withUnsafeMutableBytes { reply in
                        switch method {
                        case 1:
                            reply.copyMemory(from: request)
                            return request.count
                        case 2:
                            let count = request.loadUnaligned(as: Int.self)
                            LargeMessageTests.bytes(count).withUnsafeBytes { reply.copyMemory(from: $0) }
                            return count
                        default:
                            reply.storeBytes(of: posts, as: Int.self)
                            return 8
                        }
                    }
                }
            } post: { method, message in
                posts += message.byteCount
                return method != ExtensionThread.endMethod
            }
        }
        _ = try await ends.host.untilHello()
        return (ends.host, thread)
    }

    /// Makes the call from a thread, and not from a task.
    private func general(_ host: HostEndpoint, _ method: UInt16, _ question: [UInt8]) throws -> [UInt8] {
        try host.callAndWait(Request(method: method, payload: question, mostReply: .max)).payload
    }

    private func resize(_ host: HostEndpoint, _ request: Resize) throws -> Resized { try host.callAndWait(request) }

    private func word(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    @Test(arguments: [WaitingStyle.spin, .adaptive, .block], [4096, 65536] as [UInt32])
    func `large messages come back whole in every waiting style`(_ waiting: WaitingStyle, _ capacity: UInt32)
        async throws
    {
        let (host, thread) = try await server(waiting) {
            $0.hostCapacity = capacity
            $0.extensionCapacity = capacity
        }
        for size in [host.largestFrame, host.largestFrame + 1] + Self.sizes {
            let question = Self.bytes(size)
            #expect(try ask(host, 1, question) == question)
            #expect(try ask(host, 1, question, timeout: .patience) == question)
            #expect(try general(host, 1, question) == question)
            #expect(try await host.call(Request(method: 1, payload: question, mostReply: .max)).payload == question)
            #expect(
                try await host.start(Request(method: 1, payload: question, mostReply: .max)).value().payload == question
            )
        }
        host.finish(thread)
    }

    @Test func `a short request may have a large answer and a large request a short one`() async throws {
        let (host, thread) = try await server()
        for size in Self.sizes {
            let answer = Self.bytes(size)
            #expect(try ask(host, 2, word(size), room: size) == answer)
            #expect(try general(host, 2, word(size)) == answer)
            #expect(try await host.call(Request(method: 2, payload: word(size), mostReply: .max)).payload == answer)
            #expect(try ask(host, 3, answer, room: 8).count == 8)
        }
        host.finish(thread)
    }

    @Test func `posts of all sizes are handled in their order`() async throws {
        let (host, thread) = try await server()
        var sum = 0
        for turn in 0..<60 {
            let size = turn % 3 == 0 ? 40_000 + 1000 * turn : turn
            try host.post(4, payload: [UInt8](repeating: 1, count: size).span.bytes, flush: turn % 2 == 0)
            sum += size
        }
        host.flush()
        #expect(try ask(host, 3, []).withUnsafeBytes { $0.loadUnaligned(as: Int.self) } == sum)
        host.finish(thread)
    }

    @Test func `large and small calls of many threads all get their own bytes`() async throws {
        let (host, thread) = try await server()
        let callers = (0..<4).map { index in
            ExtensionThread(raw: {
                for turn in 0..<30 {
                    let question = Self.bytes(index % 2 == 0 ? 3 * Self.piece + turn : turn, index + 3)
                    #expect((try? ask(host, 1, question, timeout: .patience)) == question)
                    #expect(
                        (try? host.callAndWait(Request(method: 1, payload: question, mostReply: .max)).payload)
                            == question)
                }
            })
        }
        for caller in callers { caller.join() }
        host.finish(thread)
    }

    @Test func `an answer beyond the room of its caller is a named failure and harms nothing`() async throws {
        let (host, thread) = try await server()
        #expect(throws: CallFailure.payloadTooLarge(bytes: 200_000, most: 100)) {
            try ask(host, 2, word(200_000), room: 100)
        }
        #expect(throws: CallFailure.payloadTooLarge(bytes: 200_000, most: 199_999)) {
            try ask(host, 1, Self.bytes(200_000), room: 199_999)
        }
        #expect(try ask(host, 1, [1, 2, 3]) == [1, 2, 3])
        host.finish(thread)
    }

    @Test func `a message beyond the limit of the channel is refused before any of it is sent`() async throws {
        let (host, thread) = try await server { $0.largestMessage = 100_000 }
        #expect(host.largestPayload == 100_000)
        #expect(try ask(host, 1, Self.bytes(100_000)).count == 100_000)
        #expect(throws: CallFailure.payloadTooLarge(bytes: 100_001, most: 100_000)) {
            try ask(host, 1, Self.bytes(100_001))
        }
        host.finish(thread)
    }

    @Test func `without an arena the largest message is a frame`() async throws {
        let (host, thread) = try await server {
            $0.hostArena = 0
            $0.extensionArena = 0
        }
        #expect(host.largestPayload == host.largestFrame)
        let most = host.largestFrame
        #expect(throws: CallFailure.payloadTooLarge(bytes: most + 1, most: most)) {
            try ask(host, 1, Self.bytes(most + 1))
        }
        #expect(try ask(host, 1, Self.bytes(most)).count == most)
        host.finish(thread)
    }

    @Test func `an extension that takes no pieces is sent none`() async throws {
        let channel = try HostileChannel()
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let most = channel.host.largestFrame
        #expect(throws: CallFailure.payloadTooLarge(bytes: most + 1, most: most)) {
            try ask(channel.host, 1, Self.bytes(most + 1))
        }
    }

    @Test func `an arena takes memory only with its first message and never more than its size`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let own = try ends.descriptors.hostRegion.duplicate()
        let other = try ends.descriptors.extensionRegion.duplicate()
        let thread = ExtensionThread.echoing(ends.descriptors)
        _ = try await host.untilHello()
        #expect(try ask(host, 1, [1]) == [1])
        let rings = Int64(RegionLayout.size(capacity: 65536))
        let arena = Int64(ChannelConfiguration.patient.hostArena)
        #expect(try own.status().blocks * 512 <= rings)
        #expect(try other.status().blocks * 512 <= rings)
        #expect(try ask(host, 1, Self.bytes(1 << 20)).count == 1 << 20)
        #expect(try own.status().blocks * 512 <= rings + arena)
        #expect(try other.status().blocks * 512 <= rings + arena)
        host.finish(thread)
    }

    @Test func `a transfer that is given up midway leaves the next one whole`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let gate = Flag()
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            while !gate.isSet { usleep(1000) }
            try endpoint.serve { request in
                let payload = request.payload
                try request.reply(payload)
            }
        }
        _ = try await host.untilHello()
        #expect(throws: CallFailure.deadlineExceeded) {
            try ask(host, 1, Self.bytes(1 << 20, 3), timeout: .milliseconds(20))
        }
        await #expect(throws: CallFailure.deadlineExceeded) {
            try await host.call(
                Request(method: 1, payload: Self.bytes(1 << 20, 5), mostReply: .max), timeout: .milliseconds(20))
        }
        gate.set()
        let question = Self.bytes(1 << 20, 9)
        #expect(try ask(host, 1, question, timeout: .patience) == question)
        host.finish(thread)
    }

    @Test func `sealed memory and descriptors travel with large messages too`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                var request = request
                let payload = request.payload
                let taken = request.popFirstDescriptor()
                guard taken != nil else { return try request.fail(code: 1, text: "nothing was handed over") }
                try request.reply(payload, sealed: SealedPieces(try SealedMemory(copying: [5, 6])))
            }
        }
        _ = try await host.untilHello()
        let question = Self.bytes(300_000)
        for _ in 0..<3 {
            let file = DescriptorList(try Descriptor.memfd("annex-large", size: 1))
            let reply = try await host.call(
                Request(
                    method: 1, payload: question, descriptors: file,
                    accepts: DescriptorAllowance(pieces: 1, bytes: 10), mostReply: question.count))
            #expect(reply.payload == question)
            #expect(reply.sealed.first?.count == 2)
        }
        host.finish(thread)
    }

    @Test func `typed messages may be large`() async throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            var service = ChannelService()
            service.serve(Resize.self) { Resized(image: $0.image + [UInt8(truncatingIfNeeded: $0.width)]) }
            try endpoint.sayHello()
            try service.serve(endpoint)
        }
        _ = try await host.untilHello()
        for size in [10, 40_000, 500_000, 20] {
            let image = Self.bytes(size)
            #expect(try resize(host, Resize(width: 9, image: image)).image == image + [9])
            let later = try await host.call(Resize(width: 8, image: image))
            #expect(later.image == image + [8])
        }
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "over")
    }
}
