import AnnexLaunch
import AnnexLinux
import AnnexNames
import AnnexPolicy
import AnnexSandbox
import AnnexTransferWire
import Foundation

/// Runs the transfer agent in the sandbox of the policy `transfer`, and gives it jobs:
///
///     carries-out-transfers AGENT AUTHORITIES ADDRESS URL…
///
/// `put SIZE URL` in one word uploads a file, and any other URL is downloaded. Each server has this address, but one whose
/// URL names its own. The broker names no address with port 81, so it makes no connection to one. After each job, the
/// conduct prints its error, its status and its bytes. At the end, it prints how the agent ended.
enum CarriesOutTransfers {
    static func run() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let pair = try DescriptorPair.sockets()
        let broker = TransferBrokerSocket(owning: try pair.first.duplicate())
        var program = SandboxProgram(words[0])
        program.read(words[1])
        program.environment = ["SSL_CERT_FILE": words[1]]
        let ended = try begin(program, connection: try pair.second.duplicate())
        for (task, word) in words.dropFirst(3).enumerated() {
            let end = try await carryOut(word, task: UInt64(task), address: words[2], by: broker)
            say("\(end.error?.name ?? "-") \(end.answer?.status ?? 0) \(end.received) \(end.sent)")
        }
        broker.socket.shutDown()
        let (report, denials) = await ended.value
        say("\(report.reason) \(report.exitCode.map(String.init) ?? "-") \(Set(denials.map { "\($0)" }).sorted())")
    }

    private static func begin(
        _ program: SandboxProgram, connection: consuming Descriptor
    ) throws -> Task<(SandboxRunReport, [Denial]), Never> {
        let policy = try Policy.shipped(named: "transfer+com.apple.security.network.client")
        let launcher = try Launcher.shared(waiving: [])
        var streams = DescriptorList(try Descriptor.open("/dev/null", O_RDONLY))
        for _ in 1...2 { streams.append(try Descriptor.open("/proc/self/fd/2", O_WRONLY | O_APPEND)) }
        let prepared = try Sandbox(policy: policy).prepare(program, streams: streams)
        let (stream, continuation) = AsyncStream.makeStream(of: SandboxRun.Event.self)
        let run = SandboxRun(launcher, policy: prepared.policy, program: [program.name]) { continuation.yield($0) }
        var configuration = prepared.takeConfiguration()
        configuration.give(connection, as: 3)
        configuration.connections = { $0.port != 81 }
        run.begin(configuration)
        return Task {
            for await case .ended(let report, let denials) in stream { return (report, denials) }
            fatalError("the run \(run) has no end")
        }
    }

    private static func carryOut(
        _ word: String, task: UInt64, address: String, by broker: borrowing TransferBrokerSocket
    ) async throws -> TransferEnd {
        let parts = word.split(separator: " ").map(String.init)
        let size = parts.count == 3 ? UInt64(parts[1]) : nil
        let file = try Descriptor.memfd("annex-transfer", size: Int64(size ?? 0))
        let reopened = try Descriptor.open("/proc/self/fd/\(file.number)", size == nil ? O_WRONLY : O_RDONLY)
        let job = TransferJob(
            key: TransferKey(task: task, attempt: 1), method: size == nil ? .get : .put, url: parts[parts.count - 1],
            patience: TransferPatience(connecting: 60, idle: 60, whole: 600),
            work: size.map { .upload(size: $0) } ?? .download(TransferDownload(mostBytes: 1 << 32)))
        try broker.send(.start(job), with: DescriptorList(reopened))
        while true {
            switch try broker.receive() {
            case .nothing: try await Task.sleep(for: .milliseconds(2))
            case .end: fatalError("the agent has ended")
            case .message(.lookUp(let question), _):
                let isNumeric = question.host.utf8.allSatisfy { $0 == 0x2e || $0 == 0x3a || (0x30...0x39).contains($0) }
                let found = [isNumeric ? question.host : address]
                try broker.send(.found(TransferAddresses(question: question.question, addresses: found)))
            case .message(.ended(let end), _): return end
            case .message: break
            }
        }
    }
}
