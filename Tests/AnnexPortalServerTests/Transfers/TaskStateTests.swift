import AnnexLinux
import AnnexPortalServer
import AnnexTestSupport
import AnnexTransferWire
import Testing

/// The states of a task, and the decision to start an app.
@Suite struct TaskStateTests {
    @Test func `whatever happens to a task, it ends once and stays ended`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            var (state, ends) = (TaskState.staging, 0)
            for _ in 0..<40 {
                let event = TaskEvent.allCases.randomElement(using: &random) ?? .finished
                guard let next = state.next(after: event) else { continue }
                #expect(next != state && state != .ended, "seed \(seed): \(event) in \(state)")
                ends += next == .ended ? 1 : 0
                state = next
            }
            #expect(ends == (state == .ended ? 1 : 0), "seed \(seed)")
        }
    }

    @Test func `every state of a task leads to its end`() {
        var reached: Set<TaskState> = [.ended]
        for _ in TaskState.allCases {
            let before = TaskState.allCases.filter { state in
                TaskEvent.allCases.contains { state.next(after: $0).map(reached.contains) ?? false }
            }
            reached.formUnion(before)
        }
        #expect(reached == Set(TaskState.allCases))
        // A file that is whole comes to its place, whatever a member asks for meanwhile.
        for event in TaskEvent.allCases where event != .placed { #expect(TaskState.placing.next(after: event) == nil) }
        // No member knows of a task that is being staged.
        for event in TaskEvent.allCases where event != .staged { #expect(TaskState.staging.next(after: event) == nil) }
    }

    @Test func `an app is woken when all has ended and no process holds the session`() {
        for live in Int64(0)...1 {
            for unnoted in Int64(0)...1 {
                for isHeld in [false, true] {
                    let mustWake = WakeRule.mustWake(
                        after: .outcome, live: live, unnoted: unnoted, isHeld: isHeld, woken: 0)
                    #expect(mustWake == (live == 0 && unnoted == 1 && !isHeld))
                }
            }
        }
    }

    @Test func `an app that takes no note is woken at the next change, and three times at most`() {
        func isWoken(_ change: WakeRule.Change, _ woken: Int64) -> Bool {
            WakeRule.mustWake(after: change, live: 0, unnoted: 1, isHeld: false, woken: woken)
        }
        #expect((0...4).map { isWoken(.outcome, $0) } == [true, true, true, false, false])
        #expect((0...4).map { isWoken(.release, $0) } == [true, false, false, false, false])
    }

    @Test func `the pauses between attempts grow to a quarter of an hour`() throws {
        func end(_ error: TransferError?, _ retry: TransferRetry) -> TransferEnd {
            TransferEnd(
                key: TransferKey(task: 1, attempt: 1), sent: 0, received: 0,
                answer: error == nil ? TransferAnswer(status: 503, headers: []) : nil, error: error, retry: retry,
                validator: nil)
        }
        let pauses = (0..<12).map { TransferPause(after: end(.connectFailed, .later), failures: $0)?.seconds }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
        #expect(TransferPause(after: end(nil, .after(120)), failures: 9)?.seconds == 120)
        #expect(TransferPause(after: end(nil, .after(0)), failures: 0)?.seconds == 1)
        #expect(TransferPause(after: end(nil, .never), failures: 0) == nil)
        #expect(TransferPause(after: end(.badURL, .never), failures: 0) == nil)
        #expect(TransferPause(after: end(.cancelled, .later), failures: 0) == nil)
        // An agent that gives up without a cause waits longer each time.
        for error in [TransferError.suspended, .busy] {
            let pauses = (0..<3).map { TransferPause(after: end(error, .never), failures: $0) }
            #expect(pauses.map { $0?.seconds } == [1, 2, 4] && pauses.allSatisfy { $0?.isFailure == true })
        }
        let pause = try #require(TransferPause(after: end(.connectFailed, .later), failures: 3))
        for _ in 0..<100 {
            let due = pause.due(from: WallClock(microseconds: 0)).microseconds
            #expect((8_000_000...12_000_000).contains(due))
        }
    }
}
