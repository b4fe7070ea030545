import AnnexModel
import Testing

@testable import AnnexBroker

@Suite struct LaunchBackoffTests {
    private static func at(_ seconds: Int) -> Moment { Moment(nanoseconds: 1) + .seconds(seconds) }

    private func failing(_ times: Int) -> LaunchBackoff {
        var backoff = LaunchBackoff()
        for _ in 0..<times { backoff.record("a", reason: .crashed, at: Self.at(0)) }
        return backoff
    }

    @Test func `SIG-07: an extension that fails repeatedly waits longer and others do not`() {
        #expect(failing(4).pause("a", at: Self.at(0)) == nil)
        for (failures, seconds) in [(5, 1), (6, 2), (8, 8), (10, 32), (11, 60), (5000, 60)] {
            let pause = failing(failures).pause("a", at: Self.at(0))
            #expect(pause == .init(failures: failures, reason: .crashed, left: .seconds(seconds)))
            #expect(failing(failures).pause("a", at: Self.at(seconds)) == nil)
            #expect(failing(failures).pause("b", at: Self.at(0)) == nil)
        }
    }

    @Test func `SIG-07: a failing extension starts at most ten times a minute`() {
        var backoff = LaunchBackoff()
        var starts = 0
        for second in 0..<60 {
            while backoff.pause("a", at: Self.at(second)) == nil {
                starts += 1
                backoff.record("a", reason: .crashed, at: Self.at(second))
            }
        }
        #expect(starts == 10)
    }

    @Test func `a completed extension clears all earlier failures`() {
        var backoff = failing(20)
        for reason in [Termination.Reason.cancelled, .timeLimit, .launchFailed] {
            backoff.record("a", reason: reason, at: Self.at(1))
        }
        #expect(backoff.pause("a", at: Self.at(2))?.failures == 20)
        backoff.record("a", reason: .completed, at: Self.at(2))
        #expect(backoff.pause("a", at: Self.at(2)) == nil)
    }

    @Test func `another version starts without the failures of the last one`() {
        var backoff = failing(20)
        backoff.forget("a")
        #expect(backoff.pause("a", at: Self.at(0)) == nil)
        backoff.record("a", reason: .crashed, at: Self.at(0))
        #expect(backoff.pause("a", at: Self.at(0)) == nil)
    }

    @Test func `each pause is reported once`() {
        var backoff = failing(5)
        func told(_ identifier: String) -> [Bool] { (0..<3).map { _ in backoff.markLogged(identifier) } }
        #expect(told("a") == [true, false, false])
        backoff.record("a", reason: .crashed, at: Self.at(1))
        #expect(told("a") == [true, false, false])
        #expect(told("b") == [false, false, false])
    }

    @Test func `old failures are forgotten`() {
        var backoff = failing(20)
        backoff.record("b", reason: .crashed, at: Self.at(700))
        backoff.record("a", reason: .crashed, at: Self.at(700))
        #expect(backoff.pause("a", at: Self.at(700)) == nil)
    }
}
