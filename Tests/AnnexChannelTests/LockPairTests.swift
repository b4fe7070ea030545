import Foundation
import Synchronization
import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct LockPairTests {
    /// Here a pair guards sums. The sums are right only if no two threads add at the same time.
    private final class Sums: Sendable {
        let pair = LockPair<Int, Int>(first: 0, second: 0)
        let both = Atomic<Int>(0)
    }

    @Test func `a thread that holds one lock of a pair keeps no thread from the other`() {
        let pair = LockPair<Int, Int>(first: 0, second: 0)
        pair.first.withLock { first in
            first = 1
            pair.second.withLock { $0 = 2 }
            #expect(pair.first.withLockIfAvailable { $0 } == nil)
            #expect(pair.withBothIfAvailable({ _, _ in .goesOn(true) }, then: { isBoth, _ in isBoth }) == nil)
        }
        #expect(pair.withBothIfAvailable({ .goesOn($0 + $1) }, then: { sum, first in sum + first }) == 4)
    }

    @Test func `the second lock is free again while the first is still held`() {
        let pair = LockPair<Int, Int>(first: 0, second: 0)
        let inside = pair.withBothIfAvailable { first, second -> LockPair<Int, Int>.Both<Void, Int?> in
            first += 1
            second += 1
            return .goesOn(())
        } then: { _, _ in
            pair.second.withLockIfAvailable { $0 }
        }
        #expect(inside == .some(.some(1)))
    }

    @Test func `both halves are free after the step that needs both, even if it throws`() {
        struct Failed: Error {}
        let pair = LockPair<Int, Int>(first: 1, second: 2)
        let sum = pair.withBothIfAvailable { first, second -> LockPair<Int, Int>.Both<Void, Int> in
            .done(first + second)
        } then: { _, _ in
            0
        }
        #expect(sum == 3)
        #expect(throws: Failed.self) {
            _ = try pair.withBothIfAvailable { _, _ throws(Failed) -> LockPair<Int, Int>.Both<Void, Int> in
                throw Failed()
            } then: { _, _ throws(Failed) in
                0
            }
        }
        #expect(pair.first.withLockIfAvailable { $0 } == 1)
        #expect(pair.second.withLockIfAvailable { $0 } == 2)
    }

    @Test(arguments: [2, 4, 16])
    func `no sum is lost and no sleeper forgotten however many threads take the locks`(_ threads: Int) async {
        let sums = Sums()
        let rounds = 20_000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    for round in 0..<rounds {
                        switch (round + thread) % 3 {
                        case 0: sums.pair.first.withLock { $0 += 1 }
                        case 1: sums.pair.second.withLock { $0 += 1 }
                        default:
                            let done: Void? = sums.pair.withBothIfAvailable {
                                first, second -> LockPair<Int, Int>.Both<Void, Void> in
                                first += 1
                                second += 1
                                return round & 1 == 0 ? .done(()) : .goesOn(())
                            } then: { _, _ in
                            }
                            if done != nil { sums.both.add(1, ordering: .relaxed) }
                        }
                    }
                }
            }
        }
        let singles = (0..<threads).map { thread in (0..<rounds).count { ($0 + thread) % 3 == 0 } }.reduce(0, +)
        let seconds = (0..<threads).map { thread in (0..<rounds).count { ($0 + thread) % 3 == 1 } }.reduce(0, +)
        let taken = sums.both.load(ordering: .relaxed)
        #expect(sums.pair.first.withLock { $0 } == singles + taken)
        #expect(sums.pair.second.withLock { $0 } == seconds + taken)
    }

    @Test(
        arguments: [[.second, .second], [.second, .second, .second], [.first, .second, .second]] as [[LockModel.Half]])
    func `no order of the steps of a lock forgets a sleeper or lets two in`(_ halves: [LockModel.Half]) {
        let (states, fault) = LockModel(halves: halves).search()
        #expect(fault == nil)
        #expect(states > 100)
    }

    @Test func `the same search finds the forgotten sleeper if a woken thread trusts the word`() {
        #expect(LockModel(suspectsOthers: false).search().fault == .forgottenSleeper)
    }

    @Test func `the same search finds the forgotten sleeper if a thread that frees both halves wakes one`() {
        #expect(LockModel(wakesBoth: false, halves: [.first, .second]).search().fault == .forgottenSleeper)
    }

    @Test func `the same search finds the forgotten sleeper if the word is cleared after the wake-up`() {
        #expect(LockModel(clearsFirst: false).search().fault == .forgottenSleeper)
    }
}
