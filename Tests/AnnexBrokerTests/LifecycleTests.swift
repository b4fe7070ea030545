import Testing

@testable import AnnexBroker

@Suite struct LifecycleTests {
    /// Drives a fresh life through events; the effects of the last one.
    private func effects(after events: Lifecycle.Event...) -> [Lifecycle.Effect] {
        var life = Lifecycle()
        return events.map { life.handle($0) }.last ?? []
    }

    @Test func `L1: the launch limit runs from the start of the process to its hello`() {
        #expect(effects(after: .requested) == [.arm(.start)])
        #expect(effects(after: .requested, .started) == [.disarm(.start), .arm(.launch)])
        #expect(effects(after: .started, .executed, .saidHello) == [.disarm(.start), .disarm(.launch), .announce])
        #expect(effects(after: .started, .saidHello) == [.disarm(.launch)])
        #expect(effects(after: .started, .saidHello, .executed) == [.disarm(.start), .disarm(.launch), .announce])
        // The two come by two ways: hello may be first of all.
        #expect(effects(after: .saidHello, .started).isEmpty)
        #expect(effects(after: .saidHello, .started, .executed).contains(.announce))
        #expect(effects(after: .started, .elapsed(.launch)).contains(.kill))
        #expect(effects(after: .started, .elapsed(.launch), .gone).contains(.finish(.launchLimit)))
    }

    @Test func aLateTimerEndsNothing() {
        #expect(effects(after: .started, .executed, .saidHello, .elapsed(.launch)).isEmpty)
        #expect(
            effects(after: .started, .executed, .saidHello, .requestBegan, .requestEnded, .elapsed(.request)).isEmpty)
    }

    @Test func theTimeLimitRunsWhileARequestIsOpen() {
        #expect(effects(after: .started, .executed, .saidHello, .requestBegan) == [.arm(.request)])
        let end = effects(after: .started, .executed, .saidHello, .requestBegan, .elapsed(.request), .gone)
        #expect(end.contains(.finish(.timeLimit)))
    }

    @Test func `L5: completion leaves a grace and stays the reason`() {
        let dismissed = effects(after: .started, .executed, .saidHello, .dismissed(.completed))
        #expect(dismissed == [.disarm(.request), .sayGoodbye, .arm(.grace)])
        let ignored = effects(after: .started, .executed, .saidHello, .dismissed(.completed), .elapsed(.grace), .gone)
        #expect(ignored.contains(.finish(.completed)))
    }

    @Test func `L6: the first cause is the reason`() {
        let end = effects(
            after: .started, .executed, .saidHello, .mustEnd(.protocolViolation("length")), .mustEnd(.outputLimit),
            .gone)
        #expect(end.contains(.finish(.protocolViolation("length"))))
    }

    @Test func anEndOfItsOwnHasNoCauseOfOurs() {
        #expect(effects(after: .started, .executed, .saidHello, .gone).contains(.finish(nil)))
        #expect(effects(after: .started, .gone).contains(.finish(nil)))
    }

    @Test func `L1: a plan of which no process comes is bounded and reported apart`() {
        #expect(effects(after: .requested, .elapsed(.start)).contains(.kill))
        #expect(effects(after: .requested, .elapsed(.start), .gone).contains(.finish(.neverStarted)))
        #expect(effects(after: .requested, .elapsed(.start), .elapsed(.departure)).contains(.finish(.neverStarted)))
        #expect(effects(after: .requested, .started, .elapsed(.start)).isEmpty)
    }

    @Test func `L7: a process that the kernel cannot end is stuck, and nobody waits for it`() {
        let killed = effects(after: .started, .executed, .saidHello, .mustEnd(.outputLimit))
        #expect(killed.contains(.kill) && killed.contains(.arm(.departure)))
        let stuck = effects(after: .started, .mustEnd(.outputLimit), .elapsed(.departure))
        #expect(stuck.contains(.finish(.stuck)))
        #expect(effects(after: .started, .mustEnd(.outputLimit), .elapsed(.departure), .gone).isEmpty)
    }

    @Test func `L7: an extension that closes its channel has to be gone soon`() {
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed) == [.arm(.departure)])
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed, .channelClosed).isEmpty)
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed, .gone).contains(.finish(nil)))
        let silent = effects(after: .started, .executed, .saidHello, .channelClosed, .elapsed(.departure), .gone)
        #expect(silent.contains(.finish(.silence)))
        // In its grace it may close what it likes.
        let tidying = effects(after: .started, .executed, .saidHello, .dismissed(.completed), .channelClosed)
        #expect(tidying.isEmpty)
    }

    /// Any order of any events: one finish, never before the process is gone, nothing after it.
    @Test(arguments: 0..<200) func everyScheduleFinishesExactlyOnce(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let events: [Lifecycle.Event] = [
            .started, .executed, .saidHello, .requestBegan, .requestEnded, .elapsed(.launch), .elapsed(.request),
            .elapsed(.grace), .dismissed(.completed), .dismissed(.cancelled), .mustEnd(.outputLimit),
            .mustEnd(.aborted), .requested, .elapsed(.start), .channelClosed,
        ]
        var life = Lifecycle()
        var finished = 0
        for _ in 0..<40 {
            let effects = life.handle(events.randomElement(using: &random) ?? .started)
            finished += effects.count { if case .finish = $0 { true } else { false } }
        }
        #expect(finished == 0, "seed \(seed): an end was published before the process was gone")
        let last = life.handle(.gone)
        #expect(last.contains { if case .finish = $0 { true } else { false } }, "seed \(seed)")
        #expect(life.handle(.gone).isEmpty, "seed \(seed)")
        #expect(life.handle(.mustEnd(.aborted)).isEmpty, "seed \(seed)")
    }
}
