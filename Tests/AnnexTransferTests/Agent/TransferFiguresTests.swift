import AnnexLinux
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing

/// The agent's memory, and its speed beside `curl` over the same path. `make bench-transfers` runs these tests with a
/// release build of the agent and transfers of a gigabyte. Otherwise they check that the measuring works, and the memory.
@Suite(.agentIsBuilt, .pythonIsThere, .serialized, .timeLimit(.minutes(20))) struct TransferFiguresTests {
    /// The bytes of each transfer.
    static let size: Int = GivenNumber.of("ANNEX_TRANSFER_BYTES") ?? 4 << 20
    static let count = TransferLimits.jobs

    @Test func `64 transfers at once need at most 24 MiB`() async throws {
        let (server, agent, source, target) = (
            try await TransferServer(), try RunningAgent(), try TestFile(), try TestFile()
        )
        try source.descriptor.resize(to: Int64(Self.size))
        for task in 0..<UInt64(Self.count) {
            // All downloads write to one file, which need not be larger than one of them.
            let host = "h\(task % 8).example"
            let isUpload = task % 2 == 0
            let job =
                isUpload
                ? TestJob.upload(server.url("/sink", at: host), task: task, .upload(size: UInt64(Self.size)))
                : TestJob.download(server.url("/file/\(Self.size)", at: host), task: task)
            try agent.start(job, [isUpload ? source : target])
        }
        for _ in 0..<Self.count {
            let end = try await agent.next { if case .ended(let end) = $0 { end } else { nil } }
            #expect(end.error == nil && max(end.sent, end.received) == UInt64(Self.size))
        }
        let status = try String(contentsOfFile: "/proc/\(agent.process.number)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        let most = try #require(Int(line.filter(\.isNumber)))
        print("annex-transfer: \(Self.count) transfers of \(Self.size) bytes: at most \(most) KiB of memory")
        #expect(most <= 24 << 10)
    }

    @Test(.enabled(if: Program.isThere(tool: "curl"), "curl is not installed"))
    func `the speed of the agent beside that of curl is printed`() async throws {
        let (server, folder) = (try await TransferServer(), try TemporaryFolder())
        let (source, target) = (folder.url.appending(path: "source"), folder.url.appending(path: "target"))
        let file = TestFile(try Descriptor.open(source.path, O_RDWR | O_CREAT, mode: 0o600))
        try file.descriptor.resize(to: Int64(Self.size))
        let (down, up) = (server.url("/file/\(Self.size)", at: "127.0.0.1"), server.url("/sink", at: "127.0.0.1"))
        let agent = try RunningAgent()
        var times: [String: [Double]] = [:]
        for task in 0..<UInt64(3) {
            times["download by curl", default: []].append(
                try await Self.seconds { try await Self.curl(["-o", target.path, down], in: folder) })
            let destination = TestFile(try Descriptor.open(target.path, O_RDWR))
            times["download", default: []].append(
                try await Self.seconds {
                    let end = try await agent.carryOut(TestJob.download(down, task: 2 * task), [destination])
                    #expect(end.error == nil && destination.size == Self.size)
                })
            times["upload by curl", default: []].append(
                try await Self.seconds { try await Self.curl(["-T", source.path, up], in: folder) })
            times["upload", default: []].append(
                try await Self.seconds {
                    let job = TestJob.upload(up, task: 2 * task + 1, .upload(size: UInt64(Self.size)))
                    let end = try await agent.carryOut(job, [file])
                    #expect(end.error == nil && end.sent == UInt64(Self.size))
                })
        }
        for way in ["download", "upload"] {
            let (own, other) = (times[way]?.min() ?? 0, times["\(way) by curl"]?.min() ?? 0)
            let rate = Double(Self.size) / 1e6 / own
            print(
                "annex-transfer: \(way) of \(Self.size) bytes: \(Int(rate)) MB/s, \(other / own) of the speed of curl")
        }
    }

    private static func curl(_ arguments: [String], in folder: TemporaryFolder) async throws {
        let ran = try await Program.run("/usr/bin/env", ["curl", "-sS", "--noproxy", "*"] + arguments, in: folder)
        try #require(ran.status == 0, "\(ran.errors)")
    }

    private static func seconds(_ body: () async throws -> Void) async throws -> Double {
        let begun = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - begun) / .seconds(1)
    }
}
