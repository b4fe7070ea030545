import AnnexLaunch
import AnnexModel
import AnnexPolicy
import Glibc
import Testing

@testable import AnnexBroker

@Suite struct LimitReasonTests {
    private let limit: UInt64 = 100 << 20

    private func end(peak: UInt64) -> SandboxEnd {
        var end = SandboxEnd()
        end.process = .signalled(signal: 9, core: false)
        end.usage = ResourceUsage(peakMemory: peak)
        return end
    }

    @Test func `a death near the limit of watched memory has memory as its reason`() {
        #expect(end(peak: 96 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
        #expect(!end(peak: 90 << 20).ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func `BOMB-01: a child that ran out of memory does not explain the end of its parent`() {
        var end = end(peak: 99 << 20)
        end.memory = MemoryUse(peak: limit, kills: 1)
        #expect(end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .exited(code: 3)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
        end.process = .signalled(signal: 15, core: false)
        #expect(!end.ranOutOfMemory(limit: limit, wasKilled: false))
    }

    @Test func `a kill after half of the processor time counts as the processor limit`() {
        func end(_ used: Duration, signal: Int32 = 9) -> SandboxEnd {
            var end = SandboxEnd()
            end.process = .signalled(signal: signal, core: false)
            end.usage = ResourceUsage(userTime: used)
            return end
        }
        // These values were seen on a busy machine: the kernel's ticks counted a second, but the kernel's own report
        // stated 0.8.
        #expect(end(.milliseconds(804)).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.milliseconds(499)).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.milliseconds(2000), signal: 11).ranOutOfProcessorTime(limit: .seconds(1)))
        #expect(!end(.seconds(2)).ranOutOfProcessorTime(limit: .seconds(10)))
    }

    @Test func `L6: an extension that closed its channel keeps the reason of its own end`()
        throws
    {
        let limits = try Policy.shipped(named: "compute").limits
        func reason(_ process: ProcessEnd?) -> Termination.Reason {
            var end = SandboxEnd()
            end.process = process
            return Termination(.silence, end: end, limits: limits).reason
        }
        #expect(reason(.exited(code: 3)) == .exited)
        #expect(reason(.signalled(signal: 11, core: false)) == .crashed)
        #expect(reason(.signalled(signal: 9, core: false)) == .protocolViolation)
        #expect(reason(nil) == .protocolViolation)
    }

    /// The filter ends a call of a foreign ABI by SIGSYS. If a program may send signals to itself, it can send that
    /// signal too.
    @Test func `a signal that a program may have sent itself is no denied call`() throws {
        let limits = try Policy.shipped(named: "compute").limits
        func reason(mayBeOwn: Bool) -> Termination.Reason {
            var end = SandboxEnd()
            end.process = .signalled(signal: SIGSYS, core: false)
            end.mayBeOwnSignal = mayBeOwn
            return Termination(nil, end: end, limits: limits).reason
        }
        #expect(reason(mayBeOwn: false) == .deniedOperation)
        #expect(reason(mayBeOwn: true) == .crashed)
    }

    @Test func `an extension that was ended for another reason did not run out of memory`() {
        #expect(!end(peak: 99 << 20).ranOutOfMemory(limit: limit, wasKilled: true))
    }
}
