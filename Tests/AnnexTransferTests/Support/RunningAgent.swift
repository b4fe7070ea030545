import AnnexLinux
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing

/// The built agent, with this test as its broker. It ends with this object.
final class RunningAgent {
    let process: ChildProcess
    let socket: TransferBrokerSocket
    /// All news so far, in their order.
    private(set) var news: [TransferNews] = []
    /// The answer to a question; nil for none.
    var addresses: (TransferQuestion) -> TransferAddresses? = {
        TransferAddresses(question: $0.question, addresses: ["127.0.0.1"])
    }

    /// `make bench-transfers` names a release build.
    static let program =
        ProcessInfo.processInfo.environment["ANNEX_TRANSFER_AGENT"] ?? Fixtures.program("annex-transfer").path
    static let isBuilt = FileManager.default.isExecutableFile(atPath: program)

    init(environment: [String: String] = [:]) throws {
        let pair = try DescriptorPair.sockets()
        let (own, other) = (try pair.first.duplicate().release(), try pair.second.duplicate().release())
        socket = TransferBrokerSocket(owning: Descriptor(owning: own))
        let handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        // The agent's connection is its descriptor 3.
        process = try ChildProcess(
            URL(filePath: "/bin/sh"),
            arguments: ["-c", "exec \"$0\" 3<&0 </dev/null", Self.program],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, input: .file(handle))
    }

    deinit { socket.socket.shutDown() }

    /// Gives the agent a job with its files.
    func start(_ job: TransferJob, _ files: [TestFile]) throws {
        var descriptors = DescriptorList()
        for file in files { descriptors.append(try file.opened(forWriting: job.work.isDownload)) }
        try socket.send(.start(job), with: descriptors)
    }

    /// Answers questions until there is news of this kind.
    func next<Found>(_ wanted: (TransferNews) -> Found?) async throws -> Found {
        while true {
            switch try socket.receive() {
            case .nothing: try await Task.sleep(for: .milliseconds(2))
            case .end:
                await process.ended()
                throw Gone(status: process.status)
            case .message(let one, _):
                news.append(one)
                if case .lookUp(let question) = one, let found = addresses(question) { try socket.send(.found(found)) }
                if let found = wanted(one) { return found }
            }
        }
    }

    /// The agent has ended.
    struct Gone: Error { let status: Int32? }

    /// Waits for the end of a task.
    func end(of task: UInt64 = 1) async throws -> TransferEnd {
        try await next { if case .ended(let end) = $0, end.key.task == task { end } else { nil } }
    }

    /// Carries out one job.
    func carryOut(_ job: TransferJob, _ files: [TestFile]) async throws -> TransferEnd {
        try start(job, files)
        return try await end(of: job.key.task)
    }

    var questions: [TransferQuestion] {
        news.compactMap { if case .lookUp(let question) = $0 { question } else { nil } }
    }

    var responses: [TransferResponse] {
        news.compactMap { if case .response(let response) = $0 { response } else { nil } }
    }

    var progress: [TransferProgress] {
        news.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
}

/// A file of a job, of which agent and test have descriptors and the agent no path.
final class TestFile {
    let descriptor: Descriptor

    /// A file with the bytes that the server's files have.
    init(size: Int = 0, mode: UInt32 = 0o600) throws {
        descriptor = try Descriptor.memfd("annex-transfer", size: 0)
        if size > 0 { try descriptor.writeAll(Self.bytes(size)) }
    }

    /// Takes any descriptor.
    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    /// The bytes that the server's files have.
    static func bytes(_ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: ($0 % 65521) * 131 ^ ($0 % 65521) >> 7) }
    }

    func opened(forWriting: Bool) throws -> Descriptor {
        guard try descriptor.status().kind == .regular else { return try descriptor.duplicate() }
        return try Descriptor.open("/proc/self/fd/\(descriptor.number)", forWriting ? O_WRONLY : O_RDONLY)
    }

    var size: Int { (try? Int(descriptor.status().size)) ?? -1 }
    var contents: [UInt8] { (try? descriptor.read(at: 0, count: size)) ?? [] }
}

/// Jobs as tests write them.
enum TestJob {
    static let patience = TransferPatience(connecting: 600, idle: 600, whole: 3000)

    static func download(
        _ url: String, task: UInt64 = 1, attempt: UInt32 = 1, headers: [TransferHeader] = [], from offset: UInt64 = 0,
        _ validator: TransferValidator? = nil, most: UInt64 = 1 << 32, patience: TransferPatience = patience,
        isDiscretionary: Bool = false
    ) -> TransferJob {
        TransferJob(
            key: TransferKey(task: task, attempt: attempt), method: .get, url: url, headers: headers,
            patience: patience,
            isDiscretionary: isDiscretionary,
            work: .download(TransferDownload(offset: offset, validator: validator, mostBytes: most)))
    }

    static func upload(
        _ url: String, by method: TransferMethod = .put, task: UInt64 = 1, headers: [TransferHeader] = [],
        _ work: TransferWork, patience: TransferPatience = patience
    ) -> TransferJob {
        TransferJob(
            key: TransferKey(task: task, attempt: 1), method: method, url: url, headers: headers, patience: patience,
            work: work)
    }
}

extension Trait where Self == ConditionTrait {
    /// The tests of the built agent.
    static var agentIsBuilt: ConditionTrait {
        .enabled(
            if: RunningAgent.isBuilt, "annex-transfer is not built: .ci/build-beside Sources/Transfer/annex-transfer")
    }

    static var pythonIsThere: ConditionTrait {
        .enabled(if: access("/usr/bin/python3", X_OK) == 0, "there is no /usr/bin/python3 here")
    }
}
