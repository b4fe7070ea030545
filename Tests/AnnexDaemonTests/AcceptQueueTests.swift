import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct AcceptQueueTests {
    private static let second: UInt64 = 1_000_000_000
    private let closing = Lane("test-closing")

    private func socket() throws -> OpenSocket {
        OpenSocket(ControlSocket(owning: try Descriptor.open("/dev/null", O_RDONLY)), closing: closing)
    }

    @Test func `a fixed number of connections is admitted in a second, a few wait, and the others are refused`() throws
    {
        let queue = AcceptQueue(perSecond: 3)
        for _ in 0..<3 { #expect(queue.turn(at: 1, canWait: true) == .now) }
        for place in 0..<AcceptQueue.mostWaiting {
            #expect(queue.turn(at: 1, canWait: true) == .later)
            #expect(queue.keep(try socket()) == (place == 0))
        }
        #expect(queue.turn(at: 1, canWait: true) == .never(isTold: true))
        // Only a few clients in a second get the reason.
        let told = (0..<100).count { _ in queue.turn(at: 1, canWait: true) == .never(isTold: true) }
        #expect(told < 10)
        #expect(queue.next(at: 1) == nil && queue.hasWaiting)
    }

    @Test func `a connection does not overtake those that wait`() throws {
        let queue = AcceptQueue(perSecond: 1)
        #expect(queue.turn(at: 1, canWait: true) == .now && queue.turn(at: 1, canWait: true) == .later)
        let (first, second) = (try socket(), try socket())
        #expect(queue.keep(first))
        let later = 1 + Self.second
        #expect(queue.turn(at: later, canWait: true) == .later && !queue.keep(second))
        #expect(queue.next(at: later) === first && queue.next(at: later) == nil)
        #expect(queue.next(at: later + Self.second) === second && !queue.hasWaiting)
    }

    @Test func `without a free descriptor no connection waits`() {
        let queue = AcceptQueue(perSecond: 1)
        #expect(queue.turn(at: 1, canWait: false) == .now)
        #expect(queue.turn(at: 1, canWait: false) == .never(isTold: true))
    }

    @Test func `refused connections are counted until the count is taken`() {
        let queue = AcceptQueue(perSecond: 1)
        #expect(queue.countRefusal(of: 7, why: "one"))
        #expect(!queue.countRefusal(of: 8, why: "two"))
        #expect(queue.takeRefusals() == AcceptQueue.Refusals(count: 2, user: 8, why: "two"))
        #expect(queue.takeRefusals() == AcceptQueue.Refusals())
        #expect(queue.countRefusal(of: 7, why: "three"))
    }
}
