import AnnexLinux
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing

/// The agent as the broker sees it: its orders, its queue and its end.
@Suite(.agentIsBuilt, .pythonIsThere, .timeLimit(.minutes(20))) struct AgentConnectionTests {
    @Test func `the agent ends when its connection ends`() async throws {
        let agent = try RunningAgent()
        agent.socket.socket.shutDown()
        #expect(await agent.process.ended() == .exited(0))
    }

    @Test func `an order that breaks a rule ends the agent`() async throws {
        let agent = try RunningAgent()
        try agent.socket.socket.send([1, 2, 3])
        #expect(await agent.process.ended() == .exited(EX_PROTOCOL))
    }

    @Test func `without a connection, and with unknown arguments, the agent says why it ends`() async throws {
        let folder = try TemporaryFolder()
        let program = Fixtures.program("annex-transfer").path
        let alone = try await Program.run("/bin/sh", ["-c", "exec \(program) 3<&-"], in: folder)
        #expect(alone.status == EX_USAGE && alone.errors.contains("annexd starts this program"))
        let wrong = try await Program.run(program, ["--nothing"], in: folder)
        #expect(wrong.status == EX_USAGE && wrong.errors.contains("--help"))
        let help = try await Program.run(program, ["--help"], in: folder)
        #expect(help.status == 0 && help.output.contains("SSL_CERT_FILE"))
    }

    @Test(arguments: [
        (TransferStop.cancel, TransferError.cancelled, TransferRetry.never), (.suspend, .suspended, .later),
    ])
    func `a job ends at once when the broker stops it`(
        _ stop: TransferStop, _ error: TransferError, _ retry: TransferRetry
    ) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        try agent.start(TestJob.download(server.url("/trickle")), [file])
        _ = try await agent.next { if case .progress = $0 { true } else { nil } }
        // An attempt that the agent does not hold is not stopped.
        try agent.socket.send(.stop(TransferKey(task: 1, attempt: 2), .cancel))
        try agent.socket.send(.stop(TransferKey(task: 1, attempt: 1), stop))
        let end = try await agent.end()
        #expect(end.error == error && end.retry == retry && end.received == 1)
        try agent.socket.send(.stop(TransferKey(task: 1, attempt: 1), stop))
        let next = try await agent.carryOut(TestJob.download(server.url("/file/10")), [file])
        #expect(next.error == nil)
        #expect(agent.news.count { if case .ended = $0 { true } else { false } } == 2)
    }

    @Test func `a job that waits or asks can be stopped too`() async throws {
        let (agent, file) = (try RunningAgent(), try TestFile())
        agent.addresses = { _ in nil }
        for task in 1...3 as ClosedRange<UInt64> {
            try agent.start(TestJob.download("http://example.org/", task: task), [file])
        }
        for task in [3, 1, 2] as [UInt64] {
            try agent.socket.send(.stop(TransferKey(task: task, attempt: 1), .cancel))
            #expect(try await agent.end(of: task).error == .cancelled)
        }
    }

    @Test func `two jobs have one server at once, six jobs have any server, and 64 jobs are held`() async throws {
        let (agent, file) = (try RunningAgent(), try TestFile())
        agent.addresses = { _ in nil }
        for task in 0..<64 as Range<UInt64> {
            try agent.start(TestJob.download("http://h\(task % 8).example/", task: task), [file])
        }
        // The agent answers the second of these orders after it has dealt with all others.
        for _ in 0..<2 {
            #expect(try await agent.carryOut(TestJob.download("http://a.example/", task: 64), [file]).error == .busy)
        }
        #expect(agent.questions.map(\.host) == (0..<6).map { "h\($0).example" })

        let second = try RunningAgent()
        second.addresses = { _ in nil }
        for task in 0..<5 as Range<UInt64> {
            try second.start(TestJob.download("http://a.example/", task: task), [file])
        }
        for _ in 0..<2 {
            #expect(try await second.carryOut(TestJob.download("http://b.example/", task: 1), [file]).error == .busy)
        }
        #expect(second.questions.map(\.key.task) == [0, 1])
        try second.socket.send(.stop(TransferKey(task: 0, attempt: 1), .cancel))
        _ = try await second.next { if case .lookUp(let question) = $0, question.key.task == 2 { true } else { nil } }
    }

    @Test func `a discretionary job begins when no other job waits`() async throws {
        let (agent, file) = (try RunningAgent(), try TestFile())
        agent.addresses = { _ in nil }
        for task in 0..<3 as Range<UInt64> {
            try agent.start(TestJob.download("http://a.example/", task: task), [file])
        }
        let patient = TestJob.download("http://b.example/", task: 9, isDiscretionary: true)
        try agent.start(patient, [file])
        for _ in 0..<2 { #expect(try await agent.carryOut(patient, [file]).error == .busy) }
        #expect(agent.questions.map(\.key.task) == [0, 1])
        for task in 0..<3 as Range<UInt64> {
            try agent.socket.send(.stop(TransferKey(task: task, attempt: 1), .cancel))
        }
        _ = try await agent.next { if case .lookUp(let question) = $0, question.key.task == 9 { true } else { nil } }
    }

    @Test func `a broker that does not read loses no end, and gets few reports of progress`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let begun = ContinuousClock.now
        let first = try await agent.carryOut(TestJob.download(server.url("/file/200000000")), [file])
        #expect(first.error == nil)
        let tenths = (ContinuousClock.now - begun) / .milliseconds(100)
        #expect(Double(agent.progress.count) <= tenths + 1)
        // None of these jobs begins, and each of them has an end.
        var (sent, ended): (UInt64, UInt64) = (0, 0)
        while ended < 2000 {
            let job = TestJob.download("ftp://example.org/", task: 2 + sent)
            do {
                if sent < 2000 {
                    try agent.start(job, [file])
                    sent += 1
                    continue
                }
            } catch let error as TransferSocketError where error.isLackOfRoom {}
            #expect(try await agent.end(of: 2 + ended).error == .badURL)
            ended += 1
        }
    }

    @Test func `the agent has one thread while it works`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        try agent.start(TestJob.download(server.url("/trickle")), [file])
        _ = try await agent.next { if case .progress = $0 { true } else { nil } }
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(agent.process.number)/task")
        #expect(threads.count == 1)
    }
}
