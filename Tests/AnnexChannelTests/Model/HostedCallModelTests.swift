import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// The table of the calls that an extension makes to its host, and the wire between the two sides, driven by random
/// schedules. In every order, each call is answered once or given up. The number of calls in work stays within its
/// limit, and no side breaks a rule.
@Suite struct HostedCallModelTests {
    private enum Frame {
        case request(UInt64)
        case cancel(UInt64)
        case answer(UInt64, isBusy: Bool)
    }

    /// Both ends, and the frames between them.
    private struct World {
        var table = HostedCalls()
        let most: Int
        /// The calls that were handed out to the host's handlers.
        var worked: [UInt64] = []
        var toHost: [Frame] = []
        var toExtension: [Frame] = []
        /// The calls that the extension made, and how often each was answered.
        var asked: UInt64 = 0
        var cancelled: Set<UInt64> = []
        var answers: [UInt64: Int] = [:]
        var busy = 0
        var leftToAsk: Int

        /// Whether no side has a step left.
        var isOver: Bool { leftToAsk == 0 && toHost.isEmpty && toExtension.isEmpty && worked.isEmpty }
    }

    private enum Broken: Error { case rule(String) }

    @Test func `BOMB-08: random schedules of calls, cancels and answers keep the tables right and end`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        var (busy, lateCancels) = (0, 0)
        for _ in 0..<300 {
            var world = World(
                most: Int.random(in: 1...5, using: &random), leftToAsk: Int.random(in: 0...80, using: &random))
            var steps = 0
            while !world.isOver {
                steps += 1
                try #require(steps < 10_000, "no end; seed \(seed)")
                try step(&world, using: &random)
                try #require(world.table.count <= world.most, "too many at once; seed \(seed)")
                try #require(world.table.count == world.worked.count, "the books differ; seed \(seed)")
            }
            for call in 0..<world.asked {
                let count = world.answers[call + 1] ?? 0
                let isCancelled = world.cancelled.contains(call + 1)
                try #require(isCancelled ? count <= 1 : count == 1, "call \(call + 1): \(count); seed \(seed)")
            }
            busy += world.busy
            lateCancels += world.cancelled.count { world.answers[$0] == 1 }
        }
        #expect(busy > 0 && lateCancels > 0, "not all that can happen did; seed \(seed)")
    }

    private func step(_ world: inout World, using random: inout SeededRandom) throws {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: ask(&world)
        case 1: cancel(&world, using: &random)
        case 2, 3: try deliverToHost(&world)
        case 4: try deliverToExtension(&world)
        default: answer(&world, using: &random)
        }
    }

    private func ask(_ world: inout World) {
        guard world.leftToAsk > 0 else { return }
        world.leftToAsk -= 1
        world.asked += 1
        world.toHost.append(.request(world.asked))
    }

    /// Cancels any call whose answer has not arrived. The answer may already be on its way.
    private func cancel(_ world: inout World, using random: inout SeededRandom) {
        guard world.asked > 0, world.leftToAsk > 0 else { return }
        let call = UInt64.random(in: 1...world.asked, using: &random)
        guard world.answers[call] == nil, world.cancelled.insert(call).inserted else { return }
        world.toHost.append(.cancel(call))
    }

    /// Does the same as `RingLeader.handleRequest` and `handleCancel`.
    private func deliverToHost(_ world: inout World) throws {
        guard !world.toHost.isEmpty else { return }
        switch world.toHost.removeFirst() {
        case .request(let call):
            switch world.table.admit(call, atMost: world.most) {
            case .outOfTurn: throw Broken.rule("call \(call) is not the next")
            case .busy:
                world.busy += 1
                return world.toExtension.append(.answer(call, isBusy: true))
            case .admitted: break
            }
            world.worked.append(call)
            // If the same call arrives again, the table must not accept it as a new call.
            guard !world.table.accept(call) else { throw Broken.rule("call \(call) twice") }
        case .cancel(let call):
            guard world.table.cancel(call) else { throw Broken.rule("call \(call) was never made") }
            guard !world.table.isAwaited(call) else { throw Broken.rule("call \(call) is still awaited") }
        case .answer: break
        }
    }

    private func deliverToExtension(_ world: inout World) throws {
        guard !world.toExtension.isEmpty, case .answer(let call, _) = world.toExtension.removeFirst() else { return }
        world.answers[call, default: 0] += 1
    }

    /// A handler finishes with any of its calls.
    private func answer(_ world: inout World, using random: inout SeededRandom) {
        guard let index = world.worked.indices.randomElement(using: &random) else { return }
        let call = world.worked.remove(at: index)
        if world.table.remove(call) { world.toExtension.append(.answer(call, isBusy: false)) }
        // A second answer reaches no caller.
        let isSecond = world.table.remove(call)
        #expect(!isSecond)
    }

    @Test func `call numbers that are not the next are refused`() {
        var table = HostedCalls()
        let first = [0, 2, .max].map { table.accept($0) }
        #expect(first == [false, false, false])
        let one = table.accept(1)
        let cancelled = [0, 2, .max].map { table.cancel($0) }
        #expect(one && cancelled == [false, false, false])
        table.close()
        #expect(table.admit(2, atMost: 1) == .admitted)
        #expect(table.count == 0 && !table.isAwaited(2))
    }
}
