import AnnexChannel
import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import AnnexSupervision
import Glibc
import Testing

@testable import AnnexBroker

/// The live status that a broker publishes about its extensions, and the part of it that a reader trusts.
@Suite struct LiveStatusTests {
    private let asked = Moment(nanoseconds: 1_000_000_000)

    private func later(_ milliseconds: UInt64) -> Moment {
        Moment(nanoseconds: asked.nanoseconds + milliseconds * 1_000_000)
    }

    /// This process's own entry, as another process reads it.
    private func seen(_ identifier: String, children: Set<Int32> = []) throws -> LiveStatusSnapshot? {
        try SlotCopy.all(LiveStatusLayout.file, of: getpid()).compactMap { slot in
            LiveStatusSnapshot(slot, broker: getpid(), host: getpid()) {
                children.contains($0)
            } channel: { _ in
                nil
            }
        }.first { $0.identifier == identifier }
    }

    @Test func `every turn of a life is published`() throws {
        let identifier = "com.example.board \(UInt64.random(in: 0 ... .max))"
        var life = try Lifecycle(LifecycleTimes(Policy.shipped(named: "compute").limits, of: .extension))
        var entry = LiveStatusEntry(identifier, policy: "compute", memoryLimit: 77 << 20)
        #expect(try seen(identifier) == nil)
        func feed(_ input: Lifecycle.Input, at moment: Moment) throws -> LiveStatusState? {
            _ = life.handle(input, at: moment)
            entry.record(input, at: moment, life: life)
            return try seen(identifier)?.state
        }
        #expect(try feed(.asked, at: asked) == .waiting)
        #expect(try feed(.slotGranted, at: later(1)) == .launching)
        for input in [Lifecycle.Input.started, .executed] { _ = try feed(input, at: later(2)) }
        #expect(try feed(.saidHello, at: later(3)) == .idle)
        #expect(try feed(.requestBegan(1), at: later(10)) == .working)
        #expect(try feed(.requestBegan(2), at: later(20)) == .working)
        #expect(try feed(.requestEnded(2), at: later(40)) == .working)
        #expect(try feed(.requestEnded(1), at: later(50)) == .idle)
        entry.record(denials: 3)
        entry.record(process: 4711)
        let shown = try #require(try seen(identifier, children: [4711]))
        #expect(shown.answered == 2 && shown.answerTime == 60_000_000)
        #expect(shown.denials == 3 && shown.memoryLimit == 77 << 20 && shown.policy == "compute")
        #expect(shown.process == 4711)
        #expect(try feed(.dismissed(.completed), at: later(60)) == .tidying)
        #expect(try feed(.gone, at: later(61)) == nil)
    }

    @Test func `DEPUTY-07: a process that does not belong to the broker is not shown`() throws {
        let identifier = "com.example.liar \(UInt64.random(in: 0 ... .max))"
        var entry = LiveStatusEntry(identifier, policy: "compute", memoryLimit: 0)
        var life = try Lifecycle(LifecycleTimes(Policy.shipped(named: "compute").limits, of: .extension))
        _ = life.handle(.asked, at: asked)
        entry.record(.asked, at: asked, life: life)
        for process in [1, getpid(), 0, .max] as [Int32] {
            entry.record(process: process)
            #expect(try seen(identifier)?.process == nil && seen(identifier) != nil)
        }
        // Without a warden this process does not count as a broker.
        #expect(
            BrokerTable.now().brokers.keys.allSatisfy { $0.process != getpid() }
                || LiveStatusSnapshot.all().allSatisfy { $0.process != 1 })
    }

    @Test func `requests beyond those that are timed are counted all the same`() throws {
        let identifier = "com.example.many \(UInt64.random(in: 0 ... .max))"
        var entry = LiveStatusEntry(identifier, policy: "compute", memoryLimit: 0)
        var life = try Lifecycle(LifecycleTimes(Policy.shipped(named: "compute").limits, of: .extension))
        for input in [Lifecycle.Input.asked, .slotGranted] { _ = life.handle(input, at: asked) }
        for request in 0..<5000 as Range<UInt64> { entry.record(.requestBegan(request), at: asked, life: life) }
        for request in 0..<6000 as Range<UInt64> { entry.record(.requestEnded(request), at: later(1), life: life) }
        #expect(try seen(identifier)?.answered == 6000)
        #expect(try seen(identifier)?.answerTime == 1024 * 1_000_000)
    }

    @Test func `the status of a process is read from the kernel`() throws {
        let own = try #require(ProcessStat(getpid()))
        #expect(own.parent == getppid() && own.residentPages > 0 && own.started > 0)
        #expect(ProcessStat(-1) == nil)
    }
}
