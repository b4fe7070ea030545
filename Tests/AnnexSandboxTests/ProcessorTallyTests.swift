import AnnexLinux
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

/// The processor time of many processes is counted as one sum.
@Suite struct ProcessorTallyTests {
    private typealias Stats = [ProcessorTally.Identity: ProcessStat]

    private func stat(_ process: Int32, started: UInt64 = 1, ticks: UInt64, waited: UInt64 = 0) throws -> Stats {
        let before = Array(repeating: "0", count: 9).joined(separator: " ")
        let text = "\(process) (a) b) R 1 \(before) \(ticks) 0 \(waited) 0 20 0 1 0 \(started) 0 0"
        return [.init(process: process, started: started): try #require(ProcessStat(text: text))]
    }

    private func both(_ one: Stats, _ other: Stats) -> Stats { one.merging(other) { $1 } }

    @Test func `the time of a process that ended stays in the sum`() throws {
        var tally = ProcessorTally()
        #expect(tally.add(both(try stat(1, ticks: 5), try stat(2, ticks: 100))) == 105)
        // The parent did not account for the ended child, as if SIGCHLD were ignored.
        #expect(tally.add(try stat(1, ticks: 6)) == 106)
        // The process has the same number, but is another process.
        #expect(tally.add(both(try stat(1, ticks: 6), try stat(2, started: 9, ticks: 3))) == 109)
    }

    @Test func `the time that a parent waited for counts once`() throws {
        var tally = ProcessorTally()
        #expect(tally.add(both(try stat(1, ticks: 5), try stat(2, ticks: 100))) == 105)
        #expect(tally.add(try stat(1, ticks: 5, waited: 103)) == 108)
        // If no check ever saw a child, its time is in the parent's account.
        #expect(tally.add(try stat(1, ticks: 5, waited: 503)) == 508)
    }

    @Test func `a sum that is too large becomes the largest number`() throws {
        var tally = ProcessorTally()
        #expect(tally.add(both(try stat(1, ticks: .max), try stat(2, ticks: .max, waited: .max))) == .max)
        #expect(tally.add([:]) == .max)
    }

    @Test func `only a time above the limit is found`() {
        let used = Mutex(Duration.seconds(2))
        let found = Mutex<[WatchFinding]>([])
        let watch = ProcessorWatch(
            limit: .seconds(2), isAlive: { true }, used: { () throws(SystemError) in used.withLock { $0 } }
        ) { finding in found.withLock { $0.append(finding) } }
        #expect(watch.check() && found.withLock { $0.isEmpty })
        used.withLock { $0 += .milliseconds(1) }
        #expect(!watch.check() && found.withLock { $0 } == [.exceeded])
    }

    @Test func `the processor time of this process is found`() throws {
        let used = ProcessorWatch.tree(of: getpid())
        // The loop lasts a fifth of a second, in millionths, which is at least some ticks.
        while clock() < 200_000 {}
        #expect(try used() > .zero)
    }
}
