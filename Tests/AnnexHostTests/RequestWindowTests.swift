import Testing

@testable import AnnexHost

@Suite struct RequestWindowTests {
    /// A window for two requests.
    private final class Line {
        var window = RequestWindow()

        init() { window.resize(2) }

        /// Puts a request in line.
        /// - Returns: its turn, and how many turns come now.
        func enter() -> (turn: RequestTurn, come: Int) {
            let turn = RequestTurn()
            window.enter(turn)
            return (turn, window.popTurns().count)
        }

        /// Whether exactly one turn comes now, and it is this one.
        func comes(_ turn: RequestTurn) -> Bool {
            let turns = window.popTurns()
            return turns.count == 1 && turns.first === turn
        }

        func isQuiet() -> Bool { window.popTurns().isEmpty }
    }

    @Test func `requests get their turn in order and an answer lets the next one go`() {
        let line = Line()
        let come = [line.enter().come, line.enter().come]
        #expect(come == [1, 1])
        let (third, fourth) = (line.enter(), line.enter())
        #expect(third.come == 0 && fourth.come == 0)
        line.window.recordSent(1)
        line.window.recordSent(2)
        #expect(line.isQuiet())
        line.window.recordAnswer(2)
        #expect(line.comes(third.turn))
        // An answer that comes twice, or to no request, lets nothing go.
        line.window.recordAnswer(2)
        line.window.recordAnswer(9)
        #expect(line.isQuiet())
        line.window.recordAnswer(1)
        #expect(line.comes(fourth.turn))
    }

    @Test func `a request that leaves makes room only if its turn had come`() {
        let line = Line()
        let (first, _, third, fourth) = (line.enter(), line.enter(), line.enter(), line.enter())
        line.window.leave(third.turn)
        #expect(line.isQuiet())
        line.window.leave(first.turn)
        #expect(line.comes(fourth.turn))
    }

    @Test func `the end of the connection lets all requests go`() {
        let line = Line()
        _ = line.enter()
        line.window.recordSent(1)
        let (second, third, fourth) = (line.enter().turn, line.enter().turn, line.enter().turn)
        let freed = line.window.close()
        #expect(freed.count == 2 && freed.first === third && freed.last === fourth)
        // Sending fails now, so each of them leaves.
        for turn in [second, third, fourth] { line.window.leave(turn) }
        let come = [line.enter().come, line.enter().come, line.enter().come]
        #expect(come == [1, 1, 0])
    }

    @Test func `a daemon that names no window or an absurd one gets a sensible one`() {
        var window = RequestWindow()
        window.resize(0)
        #expect(window.most == 32)
        window.resize(.max)
        #expect(window.most == 1_024)
    }
}
