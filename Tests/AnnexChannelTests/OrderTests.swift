import AnnexLinux
import AnnexTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// A host receives frames in the order in which its extension sent them. No code of the host runs while a lock of the
/// channel is held.
@Suite(.timeLimit(.minutes(20))) struct OrderTests {
    private static let notices = 3

    /// An extension that sends notices and then answers, and a host whose handler is slow.
    private func noticing(
        _ waiting: WaitingStyle, fails: Bool = false
    ) async throws -> (HostEndpoint, ExtensionThread, heard: Counted) {
        let heard = Counted()
        var configuration = ChannelConfiguration.patient
        configuration.waiting = waiting
        var handlers = ChannelHandlers()
        handlers.onEvent = { _ in
            usleep(2000)  // the subject: an answer that is there long before its notices are handled
            heard.add()
        }
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        let thread = ExtensionThread(ends.descriptors, waiting: waiting) { endpoint in
            try endpoint.sayHello()
            while let incoming = try endpoint.next() {
                guard case .request(let request) = consume incoming else { return }
                for _ in 0..<Self.notices { try endpoint.sendAndWait(ChannelEvent(method: 3)) }
                if fails { try request.fail(code: 9, text: "") } else { try request.reply([1]) }
            }
        }
        _ = try await ends.host.untilHello()
        return (ends.host, thread, heard)
    }

    @Test(arguments: [WaitingStyle.spin, .adaptive, .block])
    func `a thread gets its answer only after the events that were sent before it`(_ waiting: WaitingStyle) async throws
    {
        let (host, thread, heard) = try await noticing(waiting)
        let caller = ExtensionThread(raw: {
            for turn in 1...20 {
                if turn % 2 == 0 { _ = try? host.callAndWait(Request(method: 1)) } else { _ = try? ask(host, 1, []) }
                #expect(heard.count == turn * Self.notices)
            }
        })
        caller.join()
        host.finish(thread)
    }

    @Test(arguments: [WaitingStyle.spin, .adaptive, .block])
    func `a task gets its answer only after the events that were sent before it`(_ waiting: WaitingStyle) async throws {
        let (host, thread, heard) = try await noticing(waiting)
        for turn in 1...20 {
            _ = try await host.call(Request(method: 1), timeout: turn % 2 == 0 ? .patience : nil)
            #expect(heard.count == turn * Self.notices)
        }
        for (turn, executor) in [host.executor, try ChannelExecutor(dedicatedTo: host)].enumerated() {
            await withTaskExecutorPreference(executor) {
                _ = try? await host.call(Request(method: 1))
                #expect(heard.count == (21 + turn) * Self.notices)
            }
        }
        host.finish(thread)
    }

    @Test func `a failure too arrives after the events that were sent before it`() async throws {
        let (host, thread, heard) = try await noticing(.adaptive, fails: true)
        for turn in 1...10 {
            await #expect(throws: CallFailure.failed(code: 9, text: "")) { _ = try await host.call(Request(method: 1)) }
            #expect(heard.count == turn * Self.notices)
        }
        host.finish(thread)
    }

    @Test func `the deadline of a caller limits its wait for a handler that does not return`() async throws {
        let gate = try Gate()
        var handlers = ChannelHandlers()
        handlers.onEvent = { _ in try? gate.wait() }
        let loop = try EventLoop()
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers, eventLoop: loop)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { request in
                try endpoint.sendAndWait(ChannelEvent(method: 3))
                try request.reply([7])
            }
        }
        _ = try await host.untilHello()
        let answer = Mutex<[UInt8]?>(nil)
        let box = Box(answer)
        let caller = ExtensionThread(raw: {
            let answer = try? host.callAndWait(Request(method: 1), timeout: .milliseconds(300)).payload
            box.value.withLock { $0 = answer }
        })
        caller.join()
        // The caller must have its answer, unless this machine was so slow that the caller's time limit passed.
        #expect([[7], nil].contains(box.value.withLock { $0 }))
        gate.open()
        host.finish(thread)
        loop.shutDown()
    }

    /// A leader reads the pong. While it reads, the leader holds a lock that `end` needs.
    @Test func `a pong whose handler ends the channel blocks no caller`() async throws {
        for _ in 0..<20 {
            let channel = try HostileChannel()
            let host = channel.host
            var writer = RawWriter(channel.peer)
            try await channel.greet(&writer)
            let isSent = host.ping { _ in host.end(with: "by the pong") }
            #expect(isSent)
            let leader = ExtensionThread(raw: {
                #expect(throws: CallFailure.ended(reason: "by the pong")) {
                    _ = try host.callAndWait(Request(method: 1))
                }
            })
            // The leader has sent its request and is about to sleep, or sleeps.
            while host.counters.framesSent < 2 { sched_yield() }
            writer.send(RawPeer.frame(8, call: 1))
            leader.join()
        }
    }

    @Test(arguments: ["a call", "a raw call"])
    func `a task is resumed under no lock of the channel`(leads: String) async throws {
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let executor = EndingExecutor { host.end(with: "by the executor") }
        let task = Task(executorPreference: executor) {
            executor.arm()
            return try await host.start(Request(method: 1)).value().payload
        }
        // A task that still polls by itself does not need to be resumed.
        while !executor.hasSuspendedTask { await Task.yield() }
        let leader = ExtensionThread(raw: {
            if leads == "a call" { _ = try? host.callAndWait(Request(method: 1)) } else { _ = try? ask(host, 1, []) }
        })
        while host.counters.framesSent < 2 { sched_yield() }
        writer.send(RawPeer.frame(3, [5], method: 1, call: 1))
        // Only the task ends the leader's call. The code that resumes the task does not wait for that end.
        leader.join()
        #expect(try await task.value == [5])
    }

    @Test func `a task whose answer another thread has read is resumed without the loop`() async throws {
        let gate = try Gate()
        let channel = try HostileChannel()
        let host = channel.host
        var writer = RawWriter(channel.peer)
        try await channel.greet(&writer)
        let executor = EndingExecutor {}
        let task = Task(executorPreference: executor) { try await host.start(Request(method: 1)).value().payload }
        while !executor.hasSuspendedTask { await Task.yield() }
        channel.loop.perform { try? gate.wait() }
        let leader = ExtensionThread(raw: { _ = try? host.callAndWait(Request(method: 1)) })
        while host.counters.framesSent < 2 { sched_yield() }
        writer.send(RawPeer.frame(3, [5], method: 1, call: 1))
        #expect(try await task.value == [5])
        gate.open()
        writer.send(RawPeer.frame(3, [6], method: 1, call: 1 << 63 | 1))
        leader.join()
    }

    #if DEBUG
        @Test func `a thread that waits for a lock that it holds is stopped with a message`() async {
            let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let pair = LockPair<Int, Int>(first: 0, second: 0)
                pair.first.withLock { _ in pair.first.withLock { $0 = 1 } }
            }
            let text = String(decoding: run?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("holds a lock of the channel"))
        }
    #endif
}

/// A count that handlers raise.
final class Counted: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    func add() { value.add(1, ordering: .sequentiallyConsistent) }
}

/// Runs a body of the test before it resumes a task, because a foreign executor may call any code.
private final class EndingExecutor: TaskExecutor {
    private let body: @Sendable () -> Void
    private let isArmed = Atomic<Bool>(false)

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    private let runs = Atomic<Int>(0)

    /// Whether a task has run here until it had to wait.
    var hasSuspendedTask: Bool { runs.load(ordering: .sequentiallyConsistent) > 0 }

    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    func enqueue(_ job: consuming ExecutorJob) {
        if isArmed.exchange(false, ordering: .sequentiallyConsistent) { body() }
        let job = UnownedJob(job)
        Thread.detachNewThread {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.runs.add(1, ordering: .sequentiallyConsistent)
        }
    }
}
