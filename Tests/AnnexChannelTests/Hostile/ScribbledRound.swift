import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization

@testable import AnnexChannel

/// One channel, from its start to its end, whose extension writes random bytes over its memory. Meanwhile threads and
/// tasks make calls, streams run, and the extension calls its host. The round ends when the time is over or the host
/// finds a violation.
struct ScribbledRound: Sendable {
    private let verdicts: Verdicts
    private let host: HostEndpoint
    private let peer: ExtensionProcess
    private let over = Flag()

    private static let kinds = ["everything", "words", "nearly", "bits", "payloads", "flags"]
    private static let allowance = DescriptorAllowance(pieces: 1, bytes: 10_000)

    init(_ number: Int, _ verdicts: Verdicts, _ loop: EventLoop, using random: inout SeededRandom) throws {
        self.verdicts = verdicts
        var configuration = ChannelConfiguration()
        configuration.waiting = [.adaptive, .block, .spin].randomElement(using: &random) ?? .adaptive
        let capacity: UInt32 = [4096, 65536].randomElement(using: &random) ?? 4096
        configuration.hostCapacity = capacity
        configuration.extensionCapacity = capacity
        configuration.sendLimit = .milliseconds(20)
        var handlers = ChannelHandlers()
        handlers.onRequest = { request in
            let payload = request.payload
            try? request.reply(payload)
        }
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers, eventLoop: loop)
        host = ends.host
        peer = try ExtensionProcess(
            [
                ChildProcess.executable("scribbles-forever").path, Self.kinds[number % Self.kinds.count],
                "\(UInt64.random(in: 0 ... .max, using: &random))", "2",
                // Some extensions begin to scribble at once. Others begin after the channel works.
                "\([0, 5, 100].randomElement(using: &random) ?? 0)",
            ], ends.descriptors)
    }

    /// - Returns: a weak reference to the host, which must be released soon afterwards.
    func run(for time: Duration) -> WeakHost {
        let bodies: [@Sendable () -> Void] = [
            { [self] in callRaw() }, { [self] in callAndTakeMemory() }, { [self] in callThatCallsBack() },
            { [self] in useStreams() },
        ]
        let threads = bodies.map { body in
            ExtensionThread(raw: { [over] in while !over.isSet { body() } })
        }
        let tasks = Task { [self] in while !over.isSet { await callFromTask() } }
        let deadline = MonotonicClock.deadline(after: time)
        // The round lasts a fixed time and waits for no condition. During the sleep, the other threads get the
        // processor.
        while MonotonicClock.now() < deadline, !host.state.isClosed.load(ordering: .relaxed) { usleep(1000) }
        // After the extension has closed the channel, some calls are still made on it. No verdict depends on their
        // number.
        usleep(1000)
        host.end(with: "the round is over")
        over.set()
        for thread in threads { thread.join() }
        wait(for: tasks)
        peer.kill()
        return WeakHost(host)
    }

    private func wait(for task: Task<Void, Never>) {
        let done = Parker()
        let isDone = Flag()
        Task {
            await task.value
            isDone.set()
            done.unpark()
        }
        while !isDone.isSet { done.park(until: nil) }
    }

    private func callRaw() {
        for size in [0, 8, 300, 1500] {
            _ = verdicts.note("raw") { () throws(CallFailure) in
                try ask(host, 1, [UInt8](repeating: 1, count: size), room: 2048, timeout: .milliseconds(20))
            }
        }
    }

    private func callAndTakeMemory() {
        let reply = verdicts.note("memory") { () throws(CallFailure) in
            try host.callAndWait(
                Request(method: 2, payload: [1, 2, 3], accepts: Self.allowance), timeout: .milliseconds(20))
        }
        for piece in reply?.sealed ?? [] { _ = piece.withBytes { $0.byteCount } }
    }

    private func callThatCallsBack() {
        _ = verdicts.note("hosted") { () throws(CallFailure) in
            try host.callAndWait(Request(method: 3, payload: [1]), timeout: .milliseconds(40))
        }
    }

    private func useStreams() {
        let opened = verdicts.note("open") { () throws(StreamFailure) in
            try host.openStream(1, timeout: .milliseconds(20))
        }
        guard let stream = opened else { return }
        for _ in 0..<3 {
            _ = verdicts.note("stream call") { () throws(CallFailure) in
                try host.callAndWait(Request(method: 4, payload: [7, 7]), timeout: .milliseconds(20))
            }
            _ = verdicts.note("stream receive") { () throws(StreamFailure) in
                try stream.receiveAndWait(timeout: .milliseconds(5))
            }
            _ = verdicts.note("stream send") { () throws(StreamFailure) in
                try stream.sendAndWait([1, 2, 3], timeout: .milliseconds(5))
            }
        }
    }

    private func callFromTask() async {
        let host = host
        await verdicts.note("task") { () async throws(CallFailure) in
            try await host.call(Request(method: 1, payload: [5]), timeout: .milliseconds(20))
        }
        await verdicts.note("typed") { () async throws(CallFailure) in
            try await host.call(Resize(width: 1), timeout: .milliseconds(20))
        }
    }
}

/// A weak reference to the host of a channel that has ended.
struct WeakHost {
    weak var value: RingLeader?

    init(_ value: HostEndpoint) {
        self.value = value.leader
    }
}
