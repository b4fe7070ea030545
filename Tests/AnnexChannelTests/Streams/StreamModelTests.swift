import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// Two ends of a stream and the wire between them, driven by random schedules. In every order, no side owes more than
/// a window, and no message is lost. A side that has something to do can continue.
@Suite(.timeLimit(.minutes(20))) struct StreamModelTests {
    private enum Frame {
        case data(UInt32)
        case credit(UInt32)
        case finish
    }

    /// One end: its state, the messages that arrived and were not taken, and the frames on the way to it.
    private struct End {
        var state: StreamState
        var queue: [UInt32] = []
        var coming: [Frame] = []
        var taken: UInt64 = 0
        var toSend: [UInt32]

        var canTake: Bool { !queue.isEmpty }
        var canSend: Bool { toSend.first.map { $0 <= state.credit } ?? state.isSending }
    }

    private func ends(using random: inout SeededRandom) -> [End] {
        let windows = (0..<2).map { _ in UInt32.random(in: 1024...8192, using: &random) }
        return (0..<2).map { side in
            let most = windows[1 - side] - 16
            let messages = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                StreamState.cost(Int(UInt32.random(in: 0...most, using: &random)))
            }
            return End(state: StreamState(window: windows[side], peerWindow: windows[1 - side]), toSend: messages)
        }
    }

    @Test func `IPC-05: random schedules keep the tables right and always end`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            var ends = ends(using: &random)
            let total = ends.map { $0.toSend.reduce(0) { $0 + UInt64($1) } }
            var steps = 0
            while !(ends[0].state.isOver && ends[1].state.isOver && ends.allSatisfy { !$0.canTake }) {
                steps += 1
                try #require(steps < 100_000, "no end; seed \(seed)")
                let side = Int.random(in: 0..<2, using: &random)
                let progress = [0, 1, 2].shuffled(using: &random).contains { move in
                    step(move, side, &ends) || step(move, 1 - side, &ends)
                }
                try #require(progress, "nobody can go on; seed \(seed)")
                for end in 0..<2 {
                    let waiting = ends[end].queue.reduce(0) { $0 + $1 }
                    try #require(waiting <= ends[end].state.window, "more waits than the window; seed \(seed)")
                }
            }
            #expect(ends[0].taken == total[1] && ends[1].taken == total[0], "something was lost; seed \(seed)")
        }
    }

    /// The frames of a dropped stream count towards no budget, so the bound must hold for every honest extension.
    @Test func `a side that drops a stream expects each frame that can still come`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            var ends = ends(using: &random)
            for _ in 0..<Int.random(in: 0...300, using: &random) {
                _ = step(Int.random(in: 0..<3, using: &random), Int.random(in: 0..<2, using: &random), &ends)
            }
            let expected = ends[0].state.mostLateFrames
            while [1, 2, 0].contains(where: { step($0, 1, &ends) }) {}
            #expect(ends[0].coming.count <= expected, "seed \(seed)")
        }
    }

    /// - Returns: whether the step could be made.
    private func step(_ move: Int, _ side: Int, _ ends: inout [End]) -> Bool {
        switch move {
        case 0:
            guard let frame = send(&ends[side]) else { return false }
            ends[1 - side].coming.append(frame)
            return true
        case 1: return deliver(&ends[side])
        default:
            guard ends[side].canTake else { return false }
            if let credit = take(&ends[side]) { ends[1 - side].coming.append(.credit(credit)) }
            return true
        }
    }

    private func send(_ end: inout End) -> Frame? {
        guard end.canSend else { return nil }
        guard let cost = end.toSend.first else {
            end.state.finishSending()
            return .finish
        }
        guard end.state.spend(cost) else { return nil }
        end.toSend.removeFirst()
        return .data(cost)
    }

    private func deliver(_ end: inout End) -> Bool {
        guard !end.coming.isEmpty else { return false }
        do throws(ChannelViolation) {
            switch end.coming.removeFirst() {
            case .data(let cost):
                try end.state.receive(cost, stream: 1)
                end.queue.append(cost)
            case .credit(let credit): try end.state.receiveCredit(credit, stream: 1)
            case .finish: try end.state.receiveFinish(stream: 1)
            }
            return true
        } catch {
            Issue.record("an honest end broke a rule: \(error)")
            return false
        }
    }

    private func take(_ end: inout End) -> UInt32? {
        let cost = end.queue.removeFirst()
        end.taken += UInt64(cost)
        return end.state.recordPop(cost: cost, isEmpty: end.queue.isEmpty)
    }

    @Test func `the credits of a peer are checked against the bytes that were spent`() throws {
        var state = StreamState(window: 4096, peerWindow: 0)
        #expect(throws: ChannelViolation.streamCredit(3)) { try state.receiveCredit(15, stream: 3) }
        let beyond = StreamState.largestWindow + 1
        #expect(throws: ChannelViolation.streamCredit(3)) { try state.receiveCredit(beyond, stream: 3) }
        try state.receiveCredit(2048, stream: 3)
        #expect(throws: ChannelViolation.streamCredit(3)) { try state.receiveCredit(16, stream: 3) }
        let isSpent = state.spend(100)
        #expect(isSpent)
        #expect(throws: ChannelViolation.streamCredit(3)) { try state.receiveCredit(101, stream: 3) }
        try state.receiveCredit(100, stream: 3)
        #expect(throws: ChannelViolation.streamCredit(3)) { try state.receiveCredit(.max, stream: 3) }
    }

    @Test func `the messages of a peer are checked against its credit`() throws {
        var state = StreamState(window: 1024, peerWindow: 1024)
        try state.receive(1000, stream: 2)
        #expect(throws: ChannelViolation.streamCredit(2)) { try state.receive(25, stream: 2) }
        let credit = state.recordPop(cost: 1000, isEmpty: true)
        #expect(credit == 1000)
        try state.receive(1024, stream: 2)
        try state.receiveFinish(stream: 2)
        #expect(throws: ChannelViolation.streamIsOver(2)) { try state.receive(16, stream: 2) }
        #expect(throws: ChannelViolation.streamIsOver(2)) { try state.receiveFinish(stream: 2) }
    }
}
