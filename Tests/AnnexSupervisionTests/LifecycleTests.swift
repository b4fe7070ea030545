import AnnexPolicy
import Testing

@testable import AnnexSupervision

@Suite struct LifecycleTests {
    private static let times = LifecycleTimes(
        launch: .seconds(1), request: .seconds(10), watchdog: .seconds(4), grace: .seconds(2), memory: 1000)

    /// The life cycle of an extension, here called a life, after some inputs that all happen at the same moment.
    private func life(after inputs: Lifecycle.Input...) -> Lifecycle {
        var life = Lifecycle(Self.times)
        for input in inputs { _ = life.handle(input, at: Self.at(0)) }
        return life
    }

    private var serving: Lifecycle { life(after: .asked, .slotGranted, .started, .executed, .saidHello) }

    private var working: Lifecycle {
        var life = serving
        _ = life.handle(.requestBegan(1), at: Self.at(0))
        return life
    }

    /// A life at work whose request has a long time limit.
    private var patient: Lifecycle {
        var times = Self.times
        times.request = .seconds(100)
        var life = Lifecycle(times)
        for input in [Lifecycle.Input.asked, .slotGranted, .started, .executed, .saidHello, .requestBegan(1)] {
            _ = life.handle(input, at: Self.at(0))
        }
        return life
    }

    /// A tick of the clock. If the life sends a ping, its host passes the ping on.
    private func tick(_ life: inout Lifecycle, _ milliseconds: Int) -> [Lifecycle.Effect] {
        let effects = life.handle(.clock, at: Self.at(milliseconds))
        if effects.contains(.ping) { _ = life.handle(.pingPassedOn, at: Self.at(milliseconds)) }
        return effects
    }

    private func tidying(_ cause: EndCause) -> Lifecycle {
        var life = serving
        _ = life.handle(.dismissed(cause), at: Self.at(0))
        return life
    }

    /// Milliseconds from the start.
    private static func at(_ milliseconds: Int) -> Moment {
        Moment(nanoseconds: 1000) + .milliseconds(milliseconds)
    }

    // MARK: Launch

    @Test func `L1: waiting for a slot is bounded and has a reason of its own`() {
        var life = Lifecycle(Self.times)
        #expect(life.handle(.asked, at: Self.at(0)) == [.askForSlot, .wake(Self.at(10_000))])
        #expect(life.handle(.clock, at: Self.at(10_000)) == [.giveBackSlot, .finish(.noSlot)])
        #expect(life.handle(.slotGranted, at: Self.at(10_001)).isEmpty)
    }

    @Test func `L1: the launch limit runs from the start of the process to its hello`() {
        var life = life(after: .asked, .slotGranted)
        #expect(life.handle(.started, at: Self.at(500)) == [.wake(Self.at(1500))])
        #expect(life.handle(.executed, at: Self.at(600)).isEmpty)
        #expect(life.handle(.clock, at: Self.at(1499)) == [.wake(Self.at(1500))])
        // The process still exists when the machine's share of the blame is measured.
        #expect(life.handle(.clock, at: Self.at(1500)) == [.measureStarvation, .kill, .wake(Self.at(6500))])
        #expect(life.handle(.gone, at: Self.at(1501)) == [.giveBackSlot, .finish(.launchLimit), .wake(nil)])
    }

    @Test func `L1: the hello may arrive before the report of the warden`() {
        var life = life(after: .asked, .slotGranted, .started)
        #expect(life.handle(.saidHello, at: Self.at(1)) == [.wake(Self.at(10_001))])
        #expect(life.handle(.executed, at: Self.at(2)) == [.announce, .wake(nil)])
        var early = self.life(after: .asked, .slotGranted, .saidHello)
        #expect(early.handle(.started, at: Self.at(1)) == [.wake(Self.at(10_001))])
        #expect(early.handle(.executed, at: Self.at(2)) == [.announce, .wake(nil)])
    }

    @Test func `L1: a launch does not wait for a silent warden for ever`() {
        var life = life(after: .asked, .slotGranted)
        #expect(life.handle(.clock, at: Self.at(10_000)) == [.kill, .giveBackSlot, .finish(.unanswered)])
        #expect(life.handle(.gone, at: Self.at(10_001)).isEmpty)
    }

    @Test func `L1: a warden that falls silent after the start is not waited for`() {
        var life = life(after: .asked, .slotGranted, .started, .saidHello)
        #expect(life.handle(.clock, at: Self.at(10_000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(10_001)).contains(.finish(.unanswered)))
    }

    @Test func `L1: a life that must end before its launch is never launched`() {
        var life = life(after: .mustEnd(.brokerShutdown), .mustEnd(.removed))
        #expect(life.state == .new)
        #expect(life.handle(.asked, at: Self.at(1)) == [.giveBackSlot, .finish(.brokerShutdown)])
        #expect(life.handle(.slotGranted, at: Self.at(2)).isEmpty && life.state == .ended)
    }

    // MARK: Work

    @Test func `L2: the time limit runs while a request is open`() {
        var life = working
        for second in 1...9 {
            #expect(!life.handle(.clock, at: Self.at(1000 * second)).contains(.kill))
            _ = life.handle(.gaveSign, at: Self.at(1000 * second))
        }
        #expect(life.handle(.clock, at: Self.at(10_000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(10_001)).contains(.finish(.timeLimit)))
    }

    @Test func `L6: each request has its own time limit however many others are answered`() {
        var life = working
        for moment in stride(from: 500, to: 10_000, by: 500) {
            let other = UInt64(moment)
            #expect(!life.handle(.requestBegan(other), at: Self.at(moment)).contains(.kill))
            #expect(!life.handle(.requestEnded(other), at: Self.at(moment + 100)).contains(.kill))
            #expect(!life.handle(.clock, at: Self.at(moment + 100)).contains(.kill))
        }
        #expect(life.handle(.clock, at: Self.at(10_000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(10_001)).contains(.finish(.timeLimit)))
    }

    @Test func `L2: the time limit is that of the oldest request from its turn on`() {
        var life = working
        _ = life.handle(.requestBegan(2), at: Self.at(3000))
        _ = life.handle(.requestBegan(3), at: Self.at(5000))
        _ = life.handle(.requestEnded(1), at: Self.at(9000))
        // This answer comes out of order. It gives the oldest request no additional time.
        _ = life.handle(.requestEnded(3), at: Self.at(10_000))
        for moment in [13_000, 16_000, 18_999] {
            #expect(!life.handle(.clock, at: Self.at(moment)).contains(.kill))
            _ = life.handle(.gaveSign, at: Self.at(moment))
        }
        #expect(life.handle(.clock, at: Self.at(19_000)).contains(.kill))
    }

    @Test func `L2: each queued request gets the full time limit`() {
        var life = working
        for request in 2...5 as ClosedRange<UInt64> { _ = life.handle(.requestBegan(request), at: Self.at(10)) }
        for request in 1...5 as ClosedRange<UInt64> {
            let moment = Int(request) * 3000
            #expect(!life.handle(.clock, at: Self.at(moment)).contains(.kill))
            #expect(!life.handle(.requestEnded(request), at: Self.at(moment)).contains(.kill))
        }
        #expect(life.handle(.clock, at: Self.at(100_000)).isEmpty)
    }

    @Test func `L2: duplicate or unknown request numbers give no additional time`() {
        var life = working
        _ = life.handle(.requestBegan(1), at: Self.at(5000))
        _ = life.handle(.gaveSign, at: Self.at(8000))
        #expect(life.handle(.requestEnded(7), at: Self.at(9000)).isEmpty)
        #expect(life.handle(.clock, at: Self.at(10_000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(10_001)).contains(.finish(.timeLimit)))
    }

    @Test func `L3: an extension without a sign of life at work is ended`() {
        var life = working
        #expect(tick(&life, 1000).contains(.ping))
        for moment in [2000, 3000] { #expect(tick(&life, moment).contains(.ping)) }
        #expect(tick(&life, 4000).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(4001)).contains(.finish(.unresponsive)))
    }

    @Test func `L3: a busy extension that answers lives on`() {
        var life = working
        _ = tick(&life, 1000)
        _ = life.handle(.gaveSign, at: Self.at(3500))
        for moment in [3500, 4500, 5500, 6500] { #expect(!tick(&life, moment).contains(.kill)) }
        #expect(tick(&life, 7500).contains(.kill))
    }

    @Test func `L3: time in which the host stood still does not count against the extension`() {
        var life = working
        #expect(tick(&life, 1000).contains(.ping))
        #expect(tick(&life, 9000).contains(.ping))
        for moment in [10_000, 11_000, 12_000] { _ = tick(&life, moment) }
        #expect(life.handle(.gone, at: Self.at(12_001)).contains(.finish(.timeLimit)))
        var hung = patient
        for moment in [9000, 10_000, 11_000, 12_000] {
            #expect(!tick(&hung, moment).contains(.kill))
        }
        #expect(tick(&hung, 13_000).contains(.kill))
    }

    @Test func `L3: a host that passes no pings on does not end its extension`() {
        var life = patient
        // The broker sends a ping every second and gets no reply. A stop in a debugger must not end an extension.
        for second in 1...30 {
            let effects = life.handle(.clock, at: Self.at(second * 1000))
            #expect(effects.contains(.ping) && !effects.contains(.kill), "after \(second) s")
        }
        // From the host's next message on, the extension again has the whole time to reply.
        _ = life.handle(.pingPassedOn, at: Self.at(30_001))
        for second in 31...33 { #expect(!tick(&life, second * 1000).contains(.kill)) }
        #expect(tick(&life, 34_000).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(34_001)).contains(.finish(.unresponsive)))
    }

    @Test func `L3: an idle extension causes no wake-ups`() {
        var life = working
        #expect(life.handle(.requestBegan(2), at: Self.at(10)).isEmpty)
        #expect(life.handle(.requestEnded(1), at: Self.at(20)).isEmpty)
        #expect(life.handle(.requestEnded(2), at: Self.at(30)) == [.wake(nil)])
        #expect(life.handle(.clock, at: Self.at(1_000_000)).isEmpty)
    }

    @Test func `L2: an extension is warned of its memory once each time that it runs out`() {
        var life = working
        #expect(life.handle(.clock, at: Self.at(100)).contains(.measureMemory))
        #expect(life.handle(.memoryUsed(799), at: Self.at(100)).isEmpty)
        #expect(life.handle(.memoryUsed(800), at: Self.at(200)) == [.warnOfMemory])
        #expect(life.handle(.memoryUsed(999), at: Self.at(300)).isEmpty)
        #expect(life.handle(.memoryUsed(750), at: Self.at(400)).isEmpty)
        #expect(life.handle(.memoryUsed(900), at: Self.at(500)).isEmpty)
        #expect(life.handle(.memoryUsed(699), at: Self.at(600)).isEmpty)
        #expect(life.handle(.memoryUsed(900), at: Self.at(700)) == [.warnOfMemory])
    }

    // MARK: Ends

    @Test func `L5: completion leaves a grace with a warning near its end`() {
        var life = serving
        #expect(life.handle(.dismissed(.completed), at: Self.at(0)) == [.sayGoodbye, .wake(Self.at(1500))])
        #expect(life.handle(.clock, at: Self.at(1500)) == [.warnOfEnd, .wake(Self.at(2000))])
        #expect(life.handle(.clock, at: Self.at(2000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(2001)).contains(.finish(.completed)))
    }

    @Test func `L5: an extension still at work after its grace ends as graceExpired`() {
        for (begun, ended, expected) in [(1, 0, EndCause.graceExpired), (1, 1, .completed), (2, 1, .graceExpired)] {
            var life = tidying(.completed)
            for _ in 0..<begun { _ = life.handle(.activityBegan, at: Self.at(1)) }
            for _ in 0..<ended { _ = life.handle(.activityEnded, at: Self.at(2)) }
            _ = life.handle(.clock, at: Self.at(2000))
            #expect(life.handle(.gone, at: Self.at(2001)).contains(.finish(expected)))
        }
        // Unfinished activities change only the reason `completed`. An extension that was cancelled keeps the reason
        // `cancelled`, because the host needs no answer any more.
        var cancelled = tidying(.cancelled)
        _ = cancelled.handle(.activityBegan, at: Self.at(1))
        _ = cancelled.handle(.clock, at: Self.at(2000))
        #expect(cancelled.handle(.gone, at: Self.at(2001)).contains(.finish(.cancelled)))
    }

    @Test func `L6: the first cause is the reason`() {
        var life = serving
        _ = life.handle(.mustEnd(.protocolViolation("length")), at: Self.at(1))
        #expect(life.handle(.mustEnd(.outputLimit), at: Self.at(2)).isEmpty)
        #expect(life.handle(.gone, at: Self.at(3)).contains(.finish(.protocolViolation("length"))))
    }

    @Test func `L6: during the grace only a fault of the extension changes the reason`() {
        var left = tidying(.completed)
        #expect(left.handle(.mustEnd(.brokerShutdown), at: Self.at(1)).contains(.kill))
        #expect(left.handle(.gone, at: Self.at(2)).contains(.finish(.completed)))
        var flooding = tidying(.completed)
        _ = flooding.handle(.mustEnd(.outputLimit), at: Self.at(1))
        #expect(flooding.handle(.gone, at: Self.at(2)).contains(.finish(.outputLimit)))
    }

    @Test func `SIG-05: the broker does not wait for a process that does not die`() {
        var life = working
        _ = life.handle(.mustEnd(.outputLimit), at: Self.at(0))
        #expect(life.handle(.clock, at: Self.at(5000)) == [.giveBackSlot, .finish(.stuck(after: .outputLimit))])
        #expect(life.handle(.gone, at: Self.at(5001)).isEmpty)
    }

    @Test func `SIG-05: a machine that stood still gives a dying process its time once more`() {
        var life = working
        _ = life.handle(.mustEnd(.outputLimit), at: Self.at(0))
        #expect(life.handle(.clock, at: Self.at(7000)) == [.wake(Self.at(12_000))])
        var gone = life
        #expect(gone.handle(.gone, at: Self.at(7001)).contains(.finish(.outputLimit)))
        // The broker waits only one more time, even if it is late again.
        #expect(life.handle(.clock, at: Self.at(20_000)) == [.giveBackSlot, .finish(.stuck(after: .outputLimit))])
    }

    @Test func `L7: an extension that closes its channel has to end soon`() {
        var life = serving
        #expect(life.handle(.channelClosed, at: Self.at(0)) == [.wake(Self.at(5000))])
        #expect(life.handle(.channelClosed, at: Self.at(1000)).isEmpty)
        #expect(life.handle(.clock, at: Self.at(5000)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(5001)).contains(.finish(.silence)))
        // During its grace, the extension may close its channel.
        var tidying = tidying(.completed)
        #expect(tidying.handle(.channelClosed, at: Self.at(1)).isEmpty)
    }

    @Test func `an extension that ends by itself has no cause of the broker`() {
        var idle = serving
        #expect(idle.handle(.gone, at: Self.at(1)) == [.giveBackSlot, .finish(nil)])
        var early = life(after: .asked, .slotGranted, .started)
        #expect(early.handle(.gone, at: Self.at(1)).contains(.finish(nil)))
    }

    // MARK: Programs

    /// The life of a program after some inputs at the moment 0.
    private func program(after inputs: Lifecycle.Input...) -> Lifecycle {
        var life = Lifecycle(LifecycleTimes(.example(), of: .program))
        for input in inputs { _ = life.handle(input, at: Self.at(0)) }
        return life
    }

    @Test func `a program needs no slot and its launch limit runs from the start of the launch`() {
        var life = program()
        #expect(life.handle(.asked, at: Self.at(0)) == [.launch, .wake(Self.at(1000))])
        #expect(life.handle(.started, at: Self.at(900)).isEmpty)
        var late = life
        #expect(late.handle(.clock, at: Self.at(1000)).contains(.kill))
        #expect(late.handle(.gone, at: Self.at(1001)) == [.finish(.launchLimit), .wake(nil)])
        #expect(life.handle(.executed, at: Self.at(999)) == [.announce, .wake(Self.at(10_999))])
    }

    @Test func `the whole run of a program is one request`() {
        var life = program(after: .asked, .started, .executed)
        #expect(life.handle(.clock, at: Self.at(9999)) == [.wake(Self.at(10_000))])
        #expect(life.handle(.clock, at: Self.at(10_000)) == [.kill, .wake(Self.at(20_000))])
        #expect(life.handle(.died, at: Self.at(10_001)) == [.wake(nil)])
        #expect(life.handle(.gone, at: Self.at(10_002)) == [.finish(.timeLimit)])
    }

    @Test func `a program without a time limit sets no timer and still has its grace`() {
        var limits = PolicyLimits.example()
        limits.request = PolicyLimits.noTimeLimit
        var life = Lifecycle(LifecycleTimes(limits, of: .program))
        for input in [Lifecycle.Input.asked, .started] { _ = life.handle(input, at: Self.at(0)) }
        #expect(life.handle(.executed, at: Self.at(0)) == [.announce, .wake(nil)])
        #expect(life.requestLimit == nil)
        #expect(life.handle(.clock, at: Moment(nanoseconds: .max)).isEmpty)
        #expect(life.handle(.dismissed(.cancelled), at: Self.at(500)) == [.wake(Self.at(1500))])
        #expect(life.handle(.clock, at: Self.at(1500)).contains(.kill))
    }

    @Test func `a program that is asked to end keeps its other limits and has its grace once`() {
        var life = program(after: .asked, .started, .executed)
        #expect(life.handle(.dismissed(.cancelled), at: Self.at(500)) == [.wake(Self.at(1500))])
        #expect(life.handle(.dismissed(.cancelled), at: Self.at(1400)).isEmpty)
        var obedient = life
        #expect(obedient.handle(.gone, at: Self.at(1499)) == [.finish(nil), .wake(nil)])
        #expect(life.handle(.clock, at: Self.at(1500)).contains(.kill))
        #expect(life.handle(.gone, at: Self.at(1501)).contains(.finish(.stopIgnored)))
        var late = program(after: .asked, .started, .executed)
        _ = late.handle(.dismissed(.cancelled), at: Self.at(9500))
        #expect(late.handle(.clock, at: Self.at(10_000)).contains(.kill))
        #expect(late.handle(.gone, at: Self.at(10_001)).contains(.finish(.timeLimit)))
    }

    @Test func `a program that its stand-in killed met its time limit`() {
        var life = program(after: .asked, .started, .executed, .standInTook)
        var early = life
        _ = early.handle(.died, at: Self.at(9999))
        #expect(early.handle(.gone, at: Self.at(10_001)) == [.finish(nil)])
        _ = life.handle(.died, at: Self.at(10_000))
        #expect(life.handle(.gone, at: Self.at(10_001)) == [.finish(.timeLimit)])
        var alone = program(after: .asked, .started, .executed)
        _ = alone.handle(.died, at: Self.at(10_000))
        #expect(alone.handle(.gone, at: Self.at(10_001)) == [.finish(nil)])
    }

    @Test func `L6: no input after the death is the reason for the end`() {
        var life = serving
        _ = life.handle(.died, at: Self.at(1))
        #expect(life.handle(.mustEnd(.outputLimit), at: Self.at(2)).isEmpty)
        #expect(life.handle(.clock, at: Self.at(100_000)).isEmpty)
        #expect(life.handle(.gone, at: Self.at(3)).contains(.finish(nil)))
    }
}
