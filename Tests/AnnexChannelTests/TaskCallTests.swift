import AnnexLinux
import AnnexTestSupport
import Glibc
import Synchronization
import Testing

@testable import AnnexChannel

/// Calls that tasks of an extension make to its host, and the descriptors that come with the answers. Some of these
/// hosts break the rules.
@Suite(.timeLimit(.minutes(20))) struct TaskCallTests {
    private typealias Body = @Sendable (ExtensionLookout) async throws -> String

    /// How one of these hosts answers a call.
    private typealias Answer = @Sendable (_ call: UInt64, _ payload: [UInt8], _ host: HostEndpoint) throws -> Void

    /// Runs a body as a task of an extension, and returns its result or the error that ends the extension.
    private func outcome(answering answer: @escaping Answer, _ body: @escaping Body) async throws -> String? {
        let (holder, shelf) = (HostHolder(), Shelf())
        var handlers = ChannelHandlers()
        handlers.onRequest = { request in
            guard let host = holder.host.withLock({ $0 }) else { return }
            try? answer(request.call, request.payload, host)
            // The library would answer a request that is dropped.
            shelf.put(request)
        }
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        holder.host.withLock { $0 = ends.host }
        let (outcomes, told) = AsyncStream.makeStream(of: String.self)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            var service = ChannelService()
            service.serve(Forget.self) { _, context in
                do { told.yield(try await body(context.lookout)) } catch { told.yield("\(error)") }
                return NoContent()
            }
            do throws(ExtensionFailure) { try service.serve(endpoint) } catch { told.yield("\(error)") }
        }
        let host = ends.host
        let call = Task { try? await host.call(Forget(), timeout: .patience) }
        var iterator = outcomes.makeAsyncIterator()
        let outcome = await iterator.next()
        try host.sendAndWait(ChannelEvent(method: ChannelEvent.goodbye))
        thread.join()
        host.end(with: "the test is over")
        _ = await call.value
        shelf.clear()
        holder.host.withLock { $0 = nil }
        return outcome
    }

    private func sealed(_ name: String, _ byte: UInt8) throws -> Descriptor {
        let memory = try Descriptor.memfd(name, size: 0)
        try memory.writeAll([byte])
        return memory
    }

    @Test func `answers in the opposite order bring each task its own descriptor`() async throws {
        let name = "annex-ordered"
        let held = HeldCalls()
        let text = try await outcome { call, payload, host in
            let all = held.add(call, payload)
            guard all.count == 9 else { return }
            for (call, payload) in all.reversed() {
                host.answer(call, saying: 1, with: DescriptorList(try sealed(name, payload[0])))
            }
        } _: { lookout in
            nonisolated(unsafe) let lookout = lookout
            return try await withThrowingTaskGroup(of: (UInt8, UInt8?).self) { group in
                for number in UInt8(0)..<9 {
                    group.addTask {
                        let answer = try await unsafe lookout.call(5, payload: [number], until: nil)
                        return (number, try answer.takeFirst()?.read(at: 0, count: 2).first)
                    }
                }
                var own = 0
                for try await (number, byte) in group where number == byte { own += 1 }
                return "\(own) of 9"
            }
        }
        #expect(text == "9 of 9")
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `the descriptors of a failure are closed`() async throws {
        let (name, hasAnswered) = ("annex-refused", try Gate())
        let text = try await outcome { call, _, host in
            host.answer(call, .failure, saying: 2, with: try two(name))
            hasAnswered.open()
        } _: { lookout in
            do throws(ExtensionFailure) { _ = try await lookout.call(5, payload: [], until: nil) } catch {
                // The host has closed its own descriptors when it has answered.
                try hasAnswered.wait()
                return "\(error), \(try OpenDescriptors.count(naming: name)) open"
            }
            return "answered"
        }
        #expect(text == "the host answered with failure 7: no, 0 open")
    }

    @Test func `descriptors that the caller does not take are closed`() async throws {
        let (name, hasAnswered) = ("annex-untaken", try Gate())
        let text = try await outcome { call, _, host in
            host.answer(call, saying: 2, with: try two(name))
            hasAnswered.open()
        } _: { lookout in
            let first = try await lookout.call(5, payload: [], until: nil).takeFirst()
            let blocking = try lookout.callAndWait(5, payload: []).takeFirst()
            for _ in 0..<2 { try hasAnswered.wait() }
            return "\(first == nil) \(blocking == nil) \(try OpenDescriptors.count(naming: name))"
        }
        #expect(text == "false false 2")
        try await OpenDescriptors.untilNone(naming: name)
    }

    @Test func `an answer to a call that its task gave up is dropped with its descriptors`() async throws {
        let (name, hasAnswered) = ("annex-given-up", try Gate())
        let text = try await outcome { call, payload, host in
            // The answer to the first call comes only with the second call. A third answer has no call any more.
            guard payload == [2] else { return }
            for _ in 0..<2 { host.answer(call - 1, saying: 2, with: try two(name)) }
            host.answer(call, saying: 0, with: DescriptorList())
            hasAnswered.open()
        } _: { lookout in
            nonisolated(unsafe) let lookout = lookout
            let given = await withTaskGroup(of: String.self) { group in
                group.addTask {
                    do throws(ExtensionFailure) {
                        _ = try await unsafe lookout.call(5, payload: [1], until: nil)
                        return "answered"
                    } catch { return "\(error)" }
                }
                await Task.yield()
                group.cancelAll()
                return await group.next() ?? ""
            }
            _ = try await unsafe lookout.call(5, payload: [2], until: nil)
            try hasAnswered.wait()
            return "\(given), \(try OpenDescriptors.count(naming: name)) open"
        }
        #expect(text == "the task was cancelled while it waited for the host, 0 open")
    }

    @Test func `a call that is over by its deadline tells so`() async throws {
        let text = try await outcome { _, _, _ in
        } _: { lookout in
            do throws(ExtensionFailure) {
                _ = try await lookout.call(5, payload: [], until: MonotonicClock.deadline(after: .milliseconds(20)))
                return "answered"
            } catch { return "\(error)" }
        }
        #expect(text == "no answer arrived within the call's time limit")
    }

    @Test(arguments: [(said: 1, sent: 3), (said: 1, sent: 0), (said: 2, sent: 1)])
    func `a host that sends more or fewer descriptors than it says breaks the rules`(
        _ counts: (said: Int, sent: Int)
    ) async throws {
        let name = "annex-lying-\(counts.said)-\(counts.sent)"
        let text = try await outcome { call, _, host in
            var list = DescriptorList()
            for _ in 0..<counts.sent { list.append(try sealed(name, 1)) }
            host.answer(call, saying: UInt8(counts.said), with: list)
        } _: { lookout in
            "\(try await lookout.call(5, payload: [], until: nil).takeFirst() == nil)"
        }
        #expect(text?.hasPrefix("the host broke the channel's rules") == true, "\(text ?? "")")
        try await OpenDescriptors.untilNone(naming: name)
    }

    private func two(_ name: String) throws -> DescriptorList {
        var list = DescriptorList(try sealed(name, 1))
        list.append(try sealed(name, 2))
        return list
    }
}

extension HostEndpoint {
    /// Answers a call of the extension without the library's checks.
    /// - Parameter said: how many descriptors the frame says it has.
    fileprivate func answer(
        _ call: UInt64, _ kind: FrameKind = .reply, saying said: UInt8, with list: consuming DescriptorList
    ) {
        _ = leader.control.handOver(list, for: DescriptorTag.call(call, isHosted: true))
        leader.sender.sendSoon(
            OutgoingFrame(
                header: FrameHeader(kind: kind, descriptors: said, method: 5, call: call),
                payload: kind == .failure ? StreamFrame.reset(code: 7, "no") : []))
    }
}

private final class HostHolder: Sendable {
    let host = Mutex<HostEndpoint?>(nil)
}

/// The calls that wait for their answers.
private final class HeldCalls: Sendable {
    private let calls = Mutex<[(call: UInt64, payload: [UInt8])]>([])

    /// - Returns: all calls, with the new one.
    func add(_ call: UInt64, _ payload: [UInt8]) -> [(call: UInt64, payload: [UInt8])] {
        calls.withLock { calls in
            calls.append((call, payload))
            return calls
        }
    }
}
