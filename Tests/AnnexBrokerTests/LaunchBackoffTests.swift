import AnnexModel
import AnnexRegistry
import AnnexSupervision
import Testing

@testable import AnnexBroker

@Suite struct LaunchBackoffTests {
    private static func at(_ seconds: Int) -> Moment { Moment(nanoseconds: 1) + .seconds(seconds) }
    private static let one = Instance("a", version: .unstated, digest: "1")
    private static let other = Instance("b", version: .unstated, digest: "1")

    /// The facts of a life that became ready.
    private static func served(_ origin: String?, answering: Bool = false) -> LifeFacts {
        var facts = LifeFacts(origin: origin)
        (facts.becameReady, facts.hasAnswered) = (true, answering)
        return facts
    }

    /// - Parameter facts: by default, the facts of launches that never became ready.
    private func failing(_ times: Int, _ facts: LifeFacts = LifeFacts()) -> LaunchBackoff {
        var backoff = LaunchBackoff()
        for _ in 0..<times { backoff.record(Self.one, reason: .crashed, facts: facts, at: Self.at(0)) }
        return backoff
    }

    // MARK: Launches

    @Test func `SIG-07: an extension that never becomes ready waits longer and others do not`() {
        let few = failing(4)
        #expect(few.pause(Self.one, at: Self.at(0)) == nil)
        for (failures, seconds) in [(5, 1), (6, 2), (8, 8), (10, 32), (11, 60), (5000, 60)] {
            let backoff = failing(failures)
            let pause = LaunchBackoff.Pause(failures: failures, reason: .crashed, left: .seconds(seconds))
            #expect(backoff.pause(Self.one, at: Self.at(0)) == pause)
            // The launches fail before their origin can matter.
            #expect(backoff.pause(Self.one, for: "x", at: Self.at(0)) == pause)
            #expect(backoff.pause(Self.one, at: Self.at(seconds)) == nil)
            #expect(backoff.pause(Self.other, at: Self.at(0)) == nil)
        }
    }

    @Test(arguments: [nil, "x"] as [String?])
    func `SIG-07: what fails again and again starts at most ten times a minute`(_ origin: String?) {
        var backoff = LaunchBackoff()
        let facts = origin.map { Self.served($0) } ?? LifeFacts()
        var starts = 0
        for second in 0..<60 {
            while backoff.pause(Self.one, for: origin, at: Self.at(second)) == nil {
                starts += 1
                backoff.record(Self.one, reason: .crashed, facts: facts, at: Self.at(second))
            }
        }
        #expect(starts == 10)
    }

    @Test func `a launch that becomes ready clears all failed launches`() {
        var backoff = failing(20)
        for reason in [Termination.Reason.cancelled, .timeLimit, .launchFailed, .completed] {
            backoff.record(Self.one, reason: reason, facts: LifeFacts(), at: Self.at(1))
        }
        #expect(backoff.pause(Self.one, at: Self.at(2))?.failures == 20)
        backoff.becameReady(Self.one)
        #expect(backoff.pause(Self.one, at: Self.at(2)) == nil)
    }

    @Test func `L9: another instance of an extension has no failures`() {
        let backoff = failing(20)
        let update = Instance("a", version: .unstated, digest: "2")
        #expect(backoff.pause(update, at: Self.at(0)) == nil)
        #expect(backoff.pause(Self.one, at: Self.at(0)) != nil)
    }

    @Test func `another version starts without the failures of the last one`() {
        var backoff = failing(20)
        for _ in 0..<20 { backoff.record(Self.one, reason: .crashed, facts: Self.served("x"), at: Self.at(0)) }
        backoff.forget("a")
        #expect(backoff.count.launches == 0 && backoff.count.origins == 0)
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(0)) == nil)
        backoff.record(Self.one, reason: .crashed, facts: LifeFacts(), at: Self.at(0))
        #expect(backoff.pause(Self.one, at: Self.at(0)) == nil)
    }

    // MARK: Origins

    @Test func `L9: ends by requests delay no session without their origin`() {
        var backoff = failing(100, Self.served(nil))
        #expect(backoff.count.launches == 0 && backoff.count.origins == 0)
        for _ in 0..<100 { backoff.record(Self.one, reason: .crashed, facts: Self.served("x"), at: Self.at(0)) }
        #expect(
            backoff.pause(Self.one, for: "x", at: Self.at(0))
                == .init(failures: 100, reason: .crashed, left: .seconds(60), isOfOrigin: true))
        #expect(backoff.pause(Self.one, at: Self.at(0)) == nil)
        #expect(backoff.pause(Self.one, for: "y", at: Self.at(0)) == nil)
        #expect(backoff.pause(Self.other, for: "x", at: Self.at(0)) == nil)
    }

    @Test func `L9: an answered request counts as life`() {
        var backoff = failing(100, Self.served("x"))
        backoff.record(Self.one, reason: .cancelled, facts: Self.served("x"), at: Self.at(0))
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(0)) != nil)
        backoff.record(Self.one, reason: .cancelled, facts: Self.served("x", answering: true), at: Self.at(0))
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(0)) == nil)
        // If a session fails after an answer, this failure is the first in a row.
        for _ in 0..<100 {
            backoff.record(Self.one, reason: .crashed, facts: Self.served("x", answering: true), at: Self.at(0))
        }
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(0)) == nil)
        for _ in 0..<4 { backoff.record(Self.one, reason: .crashed, facts: Self.served("x"), at: Self.at(0)) }
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(0))?.failures == 5)
    }

    @Test func `L9: a flood of origins takes bounded memory and clears no failed launches`() {
        var backoff = failing(20)
        for _ in 0..<5 { backoff.record(Self.one, reason: .crashed, facts: Self.served("first"), at: Self.at(0)) }
        for number in 0..<LaunchBackoff.mostRows * 3 {
            backoff.record(Self.one, reason: .crashed, facts: Self.served("\(number)"), at: Self.at(1))
        }
        #expect(backoff.count.launches == 1 && backoff.count.origins == LaunchBackoff.mostRows)
        #expect(backoff.pause(Self.one, at: Self.at(1))?.failures == 20)
        // The origin whose failure is the oldest is forgotten first.
        backoff.becameReady(Self.one)
        #expect(backoff.pause(Self.one, for: "first", at: Self.at(0)) == nil)
    }

    // MARK: A busy machine

    @Test func `L9: a busy machine blames no extension for its launch limit but only so often`() {
        var backoff = LaunchBackoff()
        var starved = LifeFacts()
        starved.wasStarved = true
        func fail(_ times: Int, _ facts: LifeFacts) {
            for _ in 0..<times { backoff.record(Self.one, reason: .launchLimit, facts: facts, at: Self.at(0)) }
        }
        fail(LaunchBackoff.mostExcused, starved)
        #expect(backoff.pause(Self.one, at: Self.at(0)) == nil)
        fail(5, starved)
        #expect(backoff.pause(Self.one, at: Self.at(0))?.failures == 5)
        backoff.becameReady(Self.one)
        fail(5, LifeFacts())
        #expect(backoff.pause(Self.one, at: Self.at(0))?.failures == 5)
    }

    @Test func `a busy machine excuses no other failure`() {
        var facts = LifeFacts()
        facts.wasStarved = true
        let backoff = failing(5, facts)
        #expect(backoff.pause(Self.one, at: Self.at(0))?.failures == 5)
    }

    // MARK: Both

    @Test func `each pause is reported once`() {
        var backoff = failing(5)
        for _ in 0..<5 { backoff.record(Self.one, reason: .crashed, facts: Self.served("x"), at: Self.at(0)) }
        func told(_ instance: Instance, _ origin: String? = nil) -> [Bool] {
            (0..<3).map { _ in backoff.markLogged(instance, for: origin) }
        }
        #expect(told(Self.one) == [true, false, false])
        #expect(told(Self.one, "x") == [true, false, false])
        backoff.record(Self.one, reason: .crashed, facts: LifeFacts(), at: Self.at(1))
        #expect(told(Self.one) == [true, false, false])
        #expect(told(Self.one, "x") == [false, false, false])
        #expect(told(Self.other) == [false, false, false])
    }

    @Test func `old failures are forgotten`() {
        var backoff = failing(20)
        for _ in 0..<20 { backoff.record(Self.one, reason: .crashed, facts: Self.served("x"), at: Self.at(0)) }
        for facts in [LifeFacts(), Self.served("x")] {
            backoff.record(Self.one, reason: .crashed, facts: facts, at: Self.at(700))
        }
        #expect(backoff.pause(Self.one, for: "x", at: Self.at(700)) == nil)
    }
}

@Suite struct LaunchStarvationTests {
    private static let limit = Duration.seconds(1)

    private static func pressure(_ share: String) -> String {
        "some avg10=\(share) avg60=0.00 avg300=0.00 total=307698509\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=0\n"
    }

    @Test func `a process that waited for a processor was starved`() {
        let starved = LaunchStarvation(schedule: "40000000 250000000 7\n", pressures: [])
        #expect(starved == .init(used: .milliseconds(40), delayed: .milliseconds(250), pressure: nil))
        #expect(starved.isMachines(within: Self.limit))
    }

    @Test func `a process that slept on an idle machine is to blame`() {
        let idle = [Self.pressure("0.00"), Self.pressure("9.99")]
        #expect(!LaunchStarvation(schedule: "2000000 1000000 3\n", pressures: idle).isMachines(within: Self.limit))
        #expect(!LaunchStarvation(schedule: nil, pressures: []).isMachines(within: Self.limit))
    }

    @Test func `the machine is to blame if any of its resources is short`() {
        let busy = [Self.pressure("0.00"), Self.pressure("10.00"), Self.pressure("3.50")]
        #expect(LaunchStarvation(schedule: "2000000 0 3\n", pressures: busy).isMachines(within: Self.limit))
        #expect(LaunchStarvation(schedule: nil, pressures: busy).isMachines(within: Self.limit))
    }

    @Test func `a process that computed for half of its limit was not starved`() {
        let busy = [Self.pressure("100.00")]
        #expect(!LaunchStarvation(schedule: "500000000 900000000 9\n", pressures: busy).isMachines(within: Self.limit))
    }

    @Test func `files that say something else excuse no process`() {
        for schedule in ["", "\n", "x y z", "1", "-1 x 2"] {
            let found = LaunchStarvation(
                schedule: schedule, pressures: ["", "some", "some avg10=x", "full avg10=50.0"])
            #expect(found == LaunchStarvation(), "\(schedule)")
        }
    }

    @Test func `the facts about a process are read from the kernel`() {
        // A process that does not exist has no schedule.
        let nobody = LaunchStarvation(of: nil)
        #expect(nobody.used == nil && nobody.delayed == nil)
    }
}
