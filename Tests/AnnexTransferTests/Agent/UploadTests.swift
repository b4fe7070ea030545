import AnnexLinux
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing

/// Uploads of the built agent, to a server at the loopback address.
@Suite(.agentIsBuilt, .pythonIsThere, .timeLimit(.minutes(20))) struct UploadTests {
    @Test(arguments: [0, 1, 100_000, 5_000_000])
    func `a file arrives whole, by the method of the job`(_ size: Int) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: size))
        for (task, method) in [TransferMethod.put, .post, .patch].enumerated() {
            let job = TestJob.upload(
                server.url("/upload"), by: method, task: UInt64(task),
                headers: [TransferHeader(name: "X-A", value: "b")],
                .upload(size: UInt64(size)))
            let end = try await agent.carryOut(job, [file])
            #expect(end.error == nil && end.sent == UInt64(size))
            let arrived = try Self.arrived(end)
            #expect(arrived.method == method.name && arrived.lines.contains("X-A: b"))
            #expect(arrived.parts.map(\.size) == [size] && arrived.parts.allSatisfy(\.isFile))
        }
    }

    @Test func `a form arrives with its texts and files in their order`() async throws {
        let (server, agent) = (try await TransferServer(), try RunningAgent())
        let sizes = [1, 70_000, 0, 3_000_000]
        var parts = [
            TransferPart(name: "text", text: "héllo\r\n"), TransferPart(name: "category", text: "", type: "text/plain"),
        ]
        for (place, size) in sizes.enumerated() {
            parts.append(
                TransferPart(
                    name: "picture", fileName: "a \"\(place)\".jpg", type: "image/jpeg", size: UInt64(size)))
        }
        parts.append(TransferPart(name: "last", text: "z"))
        let end = try await agent.carryOut(
            TestJob.upload(server.url("/upload"), by: .post, .form(parts)), try sizes.map { try TestFile(size: $0) })
        #expect(end.error == nil)
        let arrived = try Self.arrived(end).parts
        #expect(arrived.map(\.size) == [8, 0] + sizes + [1])
        #expect(arrived.map(\.isFile).dropFirst(2).dropLast() == [true, true, true, true])
        #expect(arrived[0].head.contains("form-data; name=\"text\"") && arrived[0].text.hasSuffix("llo\r\n"))
        #expect(arrived[2].head.contains("filename=\"a %220%22.jpg\"") && arrived[2].head.contains("image/jpeg"))
        #expect(arrived.last?.text == "z")
    }

    @Test(arguments: [99, 101])
    func `a file of another size than stated is not sent`(_ size: Int) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: size))
        let job = TestJob.upload(server.url("/upload"), .upload(size: 100))
        let end = try await agent.carryOut(job, [file])
        #expect(end.error == .fileChanged && end.retry == .never && agent.questions.isEmpty)
    }

    @Test(arguments: [-1, 1])
    func `a file that shrinks or grows while it is sent ends the job`(_ change: Int64) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 30_000_000))
        try agent.start(TestJob.upload(server.url("/paused"), .upload(size: 30_000_000)), [file])
        _ = try await agent.next { if case .progress(let progress) = $0, progress.sent > 0 { true } else { nil } }
        try file.descriptor.resize(to: 30_000_000 + change)
        try server.goOn()
        let end = try await agent.end()
        #expect(end.error == .fileChanged && end.retry == .never)
    }

    @Test func `an answer that comes before the body is the answer`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 30_000_000))
        let end = try await agent.carryOut(TestJob.upload(server.url("/early"), .upload(size: 30_000_000)), [file])
        #expect(end.answer?.status == 413 && end.answer?.body == Array("too large".utf8) && end.retry == .never)
    }

    @Test func `the broker learns 64 KiB of an answer, and that the rest was cut`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 10))
        for (size, isCut) in [(65_536, false), (65_537, true), (50_000_000, true)] {
            let job = TestJob.upload(server.url("/big-answer/\(size)"), task: UInt64(size), .upload(size: 10))
            let end = try await agent.carryOut(job, [file])
            #expect(end.error == nil && end.answer?.status == 200)
            #expect(end.answer?.body.count == 65_536 && end.answer?.bodyWasCut == isCut)
        }
    }

    @Test(arguments: [
        (307, TransferMethod.put, "PUT"), (308, .post, "POST"), (301, .put, "PUT"), (302, .post, "GET"),
        (303, .put, "GET"),
    ])
    func `a redirect sends the body once more, or asks for the answer`(
        _ status: Int, _ method: TransferMethod, _ next: String
    ) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 100_000))
        let job = TestJob.upload(server.redirect(to: "/upload", status: status), by: method, .upload(size: 100_000))
        let arrived = try Self.arrived(try await agent.carryOut(job, [file]))
        #expect(arrived.method == next)
        #expect(arrived.parts.map(\.size) == [next == "GET" ? 0 : 100_000] && arrived.parts.allSatisfy(\.isFile))
        #expect(agent.questions.map(\.redirects) == [0, 1])
    }

    private static func arrived(_ end: TransferEnd) throws -> TransferServer.Upload {
        let answer = try #require(end.answer)
        try #require(end.error == nil && answer.status == 200, "\(end)")
        return try JSONDecoder().decode(TransferServer.Upload.self, from: Data(answer.body))
    }
}
