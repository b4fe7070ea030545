import Testing

@testable import AnnexBroker

@Suite struct LifecycleTests {
    /// Drives a fresh life through events; the effects of the last one.
    private func effects(after events: Lifecycle.Event...) -> [Lifecycle.Effect] {
        var life = Lifecycle()
        return events.map { life.handle($0) }.last ?? []
    }

    @Test func `L1: the launch limit runs from the start of the process to its hello`() {
        #expect(effects(after: .started) == [.disarm(.queue), .arm(.launch)])
        #expect(effects(after: .started, .executed, .saidHello) == [.disarm(.launch), .announce])
        #expect(effects(after: .started, .saidHello) == [.disarm(.launch)])
        #expect(effects(after: .started, .saidHello, .executed) == [.disarm(.launch), .announce])
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

    @Test func aLaunchDoesNotWaitForASilentWardenForEver() {
        #expect(effects(after: .asked) == [.arm(.queue)])
        let end = effects(after: .asked, .elapsed(.queue))
        #expect(end.first == .kill)
        #expect(end.last == .finish(.unanswered))
        #expect(effects(after: .asked, .started, .elapsed(.queue)).isEmpty)
    }

    @Test func nobodyWaitsForAProcessThatDoesNotDie() {
        #expect(effects(after: .started, .mustEnd(.outputLimit)).contains(.arm(.death)))
        #expect(effects(after: .started, .mustEnd(.outputLimit), .elapsed(.death)).contains(.finish(.stuck)))
        #expect(effects(after: .started, .mustEnd(.outputLimit), .elapsed(.death), .gone).isEmpty)
        #expect(effects(after: .started, .mustEnd(.outputLimit), .gone, .elapsed(.death)).isEmpty)
    }

    @Test func `L7: an extension that closes its channel has to be gone soon`() {
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed) == [.arm(.silence)])
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed, .channelClosed).isEmpty)
        #expect(effects(after: .started, .executed, .saidHello, .channelClosed, .gone).contains(.finish(nil)))
        let silent = effects(after: .started, .executed, .saidHello, .channelClosed, .elapsed(.silence), .gone)
        #expect(silent.contains(.finish(.silence)))
        // In its grace it may close what it likes.
        #expect(effects(after: .started, .executed, .saidHello, .dismissed(.completed), .channelClosed).isEmpty)
    }

    @Test func anEndOfItsOwnHasNoCauseOfOurs() {
        #expect(effects(after: .started, .executed, .saidHello, .gone).contains(.finish(nil)))
        #expect(effects(after: .started, .gone).contains(.finish(nil)))
    }

    /// Any order of any events: one finish, never before the process is gone, nothing after it.
    @Test(arguments: 0..<200) func everyScheduleFinishesExactlyOnce(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let events: [Lifecycle.Event] = [
            .started, .executed, .saidHello, .requestBegan, .requestEnded, .elapsed(.launch), .elapsed(.request),
            .elapsed(.grace), .dismissed(.completed), .dismissed(.cancelled), .mustEnd(.outputLimit),
            .mustEnd(.aborted), .channelClosed, .elapsed(.silence),
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
