import AnnexSandbox
import Testing

@testable import AnnexBroker

@Suite struct MemoryReasonTests {
    private let limit: UInt64 = 100 << 20

    private func end(peak: UInt64) -> SandboxEnd {
        var end = SandboxEnd()
        end.process = .signalled(signal: 9, core: false)
        end.usage = ResourceUsage(peakMemory: peak)
        return end
    }

    @Test func watchedMemoryIsTheReasonOfADeathNearTheLimit() {
        #expect(end(peak: 96 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
        #expect(!end(peak: 90 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func `BOMB-01: a child that ran out of memory did not end its parent`() {
        var end = end(peak: 99 << 20)
        end.memory = MemoryUse(peak: limit, kills: 1)
        #expect(end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .exited(code: 3)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .signalled(signal: 15, core: false)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func anExtensionThatWasEndedForSomethingElseDidNotRunOutOfMemory() {
        #expect(!end(peak: 99 << 20).ranOutOfMemory(limit: limit, wasKilled: true))
    }
}
