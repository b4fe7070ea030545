import Foundation
import Synchronization
import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct LockPairTests {
    /// What a pair guards here: sums that come out right only where nobody adds meanwhile.
    private final class Sums: Sendable {
        let pair = LockPair<Int, Int>(0, 0)
        let both = Atomic<Int>(0)
    }

    @Test("who holds one of the locks keeps nobody from the other")
    func apart() {
        let pair = LockPair<Int, Int>(0, 0)
        pair.first.withLock { first in
            first = 1
            pair.second.withLock { $0 = 2 }
            #expect(pair.first.withLockIfAvailable { $0 } == nil)
            #expect(pair.withBothIfAvailable({ _, _ in true }, then: { isBoth, _ in isBoth }) == nil)
        }
        #expect(pair.withBothIfAvailable({ $0 + $1 }, then: { sum, first in sum + first }) == 4)
    }

    @Test("the second is free for others while the first is still held")
    func rest() {
        let pair = LockPair<Int, Int>(0, 0)
        let inside = pair.withBothIfAvailable {
            $0 += 1
            $1 += 1
        } then: { _, _ in
            pair.second.withLockIfAvailable { $0 }
        }
        #expect(inside == .some(.some(1)))
    }

    @Test("no sum is lost and no sleeper forgotten, however many want them", arguments: [2, 4, 16])
    func crowd(_ threads: Int) async {
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
                                $0 += 1
                                $1 += 1
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

    @Test("no order of the lock's steps forgets a sleeper or lets two in", arguments: [2, 3])
    func model(_ threads: Int) {
        let (states, fault) = LockModel(threads: threads).search()
        #expect(fault == nil)
        #expect(states > 100)
    }

    @Test("the same search finds who is forgotten when one who has slept trusts the word")
    func trusting() {
        #expect(LockModel(suspectsOthers: false).search().fault == .forgottenSleeper)
    }

    @Test("the same search finds who is forgotten when the word is cleared after the wake-up")
    func clearingLate() {
        #expect(LockModel(clearsFirst: false).search().fault == .forgottenSleeper)
    }
}
