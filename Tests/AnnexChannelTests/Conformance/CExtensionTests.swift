import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// Tests of `Languages/C/annex_extension.h` in addition to the conformance tests, which apply to every extension.
@Suite(.serialized, .timeLimit(.minutes(20))) struct CExtensionTests {
    private func run(
        _ handlers: ChannelHandlers = ChannelHandlers(), looks: String = "2048",
        _ body: (HostEndpoint) async throws -> Void
    ) async throws {
        let (host, running) = try ConformingExtension.start(CProgram.sanitized.get(), [looks], handlers)
        _ = try await host.untilHello()
        try await body(host)
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        running.join()
        #expect(running.hasEndedWell)
        host.end(with: "the test is over")
    }

    /// The limit is three hundred lines, and a dozen for C++, which lacks some of the initializers of C.
    @Test func `the C header has at most 312 lines`() throws {
        let text = try String(contentsOf: CProgram.header, encoding: .utf8)
        #expect(text.count { $0 == "\n" } <= 312)
    }

    @Test func `the C header compiles as C++ too`() throws {
        try CProgram.checkHeader(with: "clang++")
        if Program.isThere(tool: "g++") { try CProgram.checkHeader(with: "g++") }
    }

    @Test func `a C extension that crashes has written the lines that it printed`() async throws {
        let folder = try TemporaryFolder()
        let text = #"int main(void) { struct annex_extension e; annex_open(&e); puts("a line"); abort(); }"#
        let program = try CProgram.program("prints", text: text + "\n", in: folder)
        let ran = try await Program.tool(["sh", "-c", "{ \(program.path); } | cat"])
        #expect(ran.output == "a line\n", "\(ran)")
    }

    @Test func `a C extension returns the descriptors of a request as sealed memory`() async throws {
        try await run { host in
            for pieces in 1...4 {
                var descriptors = DescriptorList()
                for index in 1...pieces {
                    let memory = try Descriptor.memfd("annex-c", size: 0)
                    try memory.writeAll([UInt8](repeating: UInt8(index), count: index * 1000))
                    try memory.addSeals(.immutable)
                    descriptors.append(memory)
                }
                let request = Request(
                    method: 7, descriptors: descriptors, accepts: DescriptorAllowance(pieces: 4, bytes: 100_000))
                let sealed = try await host.call(request, timeout: .patience).sealed
                #expect(sealed.map(\.count) == (1...pieces).map { $0 * 1000 })
                #expect(sealed.last?.withBytes { $0.unsafeLoad(as: UInt8.self) } == UInt8(pieces))
            }
            await #expect(throws: CallFailure.failed(code: 8, text: "nothing to give back")) {
                _ = try await host.call(Request(method: 7), timeout: .patience)
            }
        }
    }

    @Test func `a C extension sees that a call is cancelled while it works on it`() async throws {
        let (events, event) = AsyncStream.makeStream(of: UInt16.self)
        var handlers = ChannelHandlers()
        handlers.onEvent = { event.yield($0.method) }
        try await run(handlers) { host in
            let call = try await host.start(Request(method: 8))
            call.cancel()
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == 9)
            #expect(try await host.call(Request(method: 1, payload: [1]), timeout: .patience).payload == [1])
        }
    }

    @Test func `a C extension calls its host`() async throws {
        var handlers = ChannelHandlers()
        handlers.onRequest = { request in
            let answer = request.payload + [UInt8(truncatingIfNeeded: request.method)]
            try? request.reply(answer)
        }
        try await run(handlers) { host in
            for index in 0..<200 as Range<UInt8> {
                let answer = try await host.call(Request(method: 11, payload: [index]), timeout: .patience).payload
                #expect(answer == [index, 10])
            }
        }
    }

    @Test(arguments: ["0", "64", "4294967295"])
    func `a C extension answers pings and refuses streams in every waiting style`(_ looks: String) async throws {
        try await run(looks: looks) { host in
            for index in 0..<100 {
                let payload = [UInt8](repeating: UInt8(index), count: index * 300)
                #expect(
                    try await host.call(Request(method: 1, payload: payload), timeout: .patience).payload == payload)
                #expect(try ask(host, 1, payload, timeout: .patience) == payload)
                if index % 10 == 0 {
                    try host.pingAndWait(timeout: .patience)
                    if let stream = try? host.openStream(20) {
                        await #expect(throws: StreamFailure.self) { try await stream.receive() }
                    }
                }
            }
        }
    }

    @Test func `a C extension waits for its host when it sends more than the ring holds`() async throws {
        let (events, event) = AsyncStream.makeStream(of: Int.self)
        var handlers = ChannelHandlers()
        handlers.onEvent = { event.yield($0.payload.count) }
        try await run(handlers, looks: "0") { host in
            for _ in 0..<300 {
                try host.sendAndWait(ChannelEvent(method: 4, payload: [UInt8](repeating: 1, count: 3000)))
            }
            #expect(try await host.call(Request(method: 1, payload: [2]), timeout: .patience).payload == [2])
            var iterator = events.makeAsyncIterator()
            for _ in 0..<300 { #expect(await iterator.next() == 3000) }
        }
    }
}
