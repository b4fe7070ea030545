import AnnexLinux
import AnnexTestSupport
import AnnexTransferWire
import Testing

/// Downloads of the built agent, from a server at the loopback address.
@Suite(.agentIsBuilt, .pythonIsThere, .timeLimit(.minutes(20))) struct DownloadTests {
    @Test func `a download arrives whole, and its news come in order`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url("/file/3000000")), [file])
        #expect(end.error == nil && end.retry == .never && end.received == 3_000_000)
        #expect(end.answer?.status == 200)
        let headers = String(decoding: end.answer?.headers ?? [], as: UTF8.self)
        #expect(headers.contains("ETag: \"v1\"\r\n"))
        #expect(file.contents == TestFile.bytes(3_000_000))
        let response = TransferResponse(
            key: end.key, offset: 0, validator: .entityTag("\"v1\""), expected: 3_000_000)
        #expect(agent.responses == [response])
        let received = agent.progress.map(\.received)
        #expect(received == received.sorted() && !received.isEmpty)
        #expect(agent.progress.allSatisfy { $0.expected == 3_000_000 && $0.sent == 0 })
    }

    @Test func `a download that the server breaks off resumes where it ended`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let url = server.url("/cut-once/1000000")
        let first = try await agent.carryOut(TestJob.download(url), [file])
        #expect(first.error == .bodyMismatch && first.retry == .later && first.received == 990_000)
        let validator = try #require(first.validator)
        let job = TestJob.download(url, attempt: 2, from: first.received, validator)
        let second = try await agent.carryOut(job, [file])
        #expect(second.error == nil && second.received == 1_000_000 && second.answer?.status == 206)
        #expect(file.contents == TestFile.bytes(1_000_000))
        let requests = try server.requests()
        #expect(requests.map { $0.header("Range") } == [nil, "bytes=990000-"])
        #expect(requests.map { $0.header("If-Range") } == [nil, "\"v1\""])
        #expect(agent.responses.map(\.offset) == [0, 990_000])
    }

    @Test func `a file that changed since the last attempt begins at 0`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let url = server.url("/changing/100000")
        let first = try await agent.carryOut(TestJob.download(url), [file])
        #expect(first.received == 50_000 && first.validator == .entityTag("\"v0\""))
        let job = TestJob.download(url, attempt: 2, from: first.received, first.validator)
        let second = try await agent.carryOut(job, [file])
        #expect(second.error == nil && second.received == 100_000 && second.answer?.status == 200)
        #expect(agent.responses.map(\.offset) == [0, 0])
        #expect(file.contents == TestFile.bytes(100_000))
    }

    @Test(arguments: [("", TransferValidator.lastModified("Tue, 01 Dec 2026 08:00:01 GMT")), ("?same", nil)])
    func `a date of the last change resumes only if it is older than the answer`(
        _ query: String, _ expected: TransferValidator?
    ) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let url = server.url("/dated/100000\(query)")
        let first = try await agent.carryOut(TestJob.download(url), [file])
        #expect(first.received == 50_000 && first.validator == expected)
        let job = TestJob.download(url, attempt: 2, from: first.received, first.validator)
        #expect(try await agent.carryOut(job, [file]).answer?.status == (expected == nil ? 200 : 206))
        #expect(file.contents == TestFile.bytes(100_000))
    }

    @Test func `an offset at or beyond the end of the file begins at 0`() async throws {
        let (server, agent) = (try await TransferServer(), try RunningAgent())
        for offset in [1000, 5000] as [UInt64] {
            let file = try TestFile(size: 5000)
            let job = TestJob.download(
                server.url("/file/1000"), task: offset, from: offset, .entityTag("\"v1\""))
            let end = try await agent.carryOut(job, [file])
            #expect(end.error == nil && end.received == 1000)
            #expect(file.contents == TestFile.bytes(1000))
        }
    }

    @Test(arguments: ["earlier", "less", "none", "other", "words", "tag"])
    func `a part that is not the rest of the same file is refused`(_ kind: String) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 10))
        let job = TestJob.download(
            server.url("/wrong-range/1000?kind=\(kind)"), from: 10, .entityTag("\"v1\""))
        let end = try await agent.carryOut(job, [file])
        #expect(end.error == .bodyMismatch && end.retry == .later && end.validator == nil)
        #expect(file.contents == TestFile.bytes(10))
    }

    @Test func `a part that was not asked for is refused`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url("/wrong-range/1000?kind=less")), [file])
        #expect(end.error == .bodyMismatch && file.size == 0)
    }

    @Test func `a body in chunks ends where the server says so`() async throws {
        let (server, agent) = (try await TransferServer(), try RunningAgent())
        let (whole, cut) = (try TestFile(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url("/chunked/50000")), [whole])
        #expect(end.error == nil && whole.contents == TestFile.bytes(50_000))
        let broken = try await agent.carryOut(TestJob.download(server.url("/chunked/50000?cut"), task: 2), [cut])
        #expect(broken.error == .bodyMismatch && broken.retry == .later && broken.received == 50_000)
    }

    @Test(arguments: ["/file/100001", "/chunked/200000"])
    func `a download has at most as many bytes as the job allows`(_ conduct: String) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url(conduct), most: 100_000), [file])
        #expect(end.error == .tooLarge && end.retry == .never && file.size <= 100_000)
    }

    @Test func `a destination without room, or that is no regular file, ends the job by name`() async throws {
        let (server, agent, full) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let sealed = try full.opened(forWriting: true)
        try full.descriptor.addSeals([.grow])
        let job = TestJob.download(server.url("/file/1000"))
        try agent.socket.send(.start(job), with: DescriptorList(sealed))
        let end = try await agent.end()
        #expect(end.error == .diskFull && end.retry == .later)
        var pipe = try DescriptorPair.pipe().list()
        let writing = TestFile(try pipe.duplicate(at: 1))
        pipe.closeAll()
        #expect(try await agent.carryOut(job, [writing]).error == .fileChanged)
    }

    @Test func `a failed answer leaves the destination alone, and its body reaches the broker`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile(size: 10))
        let end = try await agent.carryOut(TestJob.download(server.url("/status/404")), [file])
        #expect(end.error == nil && end.retry == .never && end.answer?.status == 404)
        #expect(end.answer?.body == Array("a status".utf8) && file.size == 10)
        for (query, retry) in [("", .later), ("?after=7", .after(7)), ("?after=999999", .after(86_400))]
            as [(String, TransferRetry)]
        {
            let job = TestJob.download(server.url("/status/503\(query)"))
            #expect(try await agent.carryOut(job, [file]).retry == retry)
        }
    }

    @Test func `bytes behind the stated end of a body are not part of the file`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url("/longer/5000")), [file])
        #expect(end.error == nil && file.contents == TestFile.bytes(5000))
        let two = try await agent.carryOut(TestJob.download(server.url("/two-lengths"), task: 2), [file])
        #expect(two.error == .bodyMismatch)
    }
}
