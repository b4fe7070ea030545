import AnnexLinux
import AnnexPolicy
import Foundation
import Testing

@testable import AnnexLaunch

@Suite struct ResourceLimitTests {
    @Test func `a hard limit of the host is never exceeded`() {
        var own = rlimit()
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &own) == 0)
        let most = UInt64(own.rlim_max)
        let number = UInt32(RLIMIT_NOFILE.rawValue)
        #expect(ResourceLimit(number, bound: 8).withinOwn() == ResourceLimit(number, bound: 8))
        #expect(ResourceLimit(number, bound: .max).withinOwn() == ResourceLimit(number, bound: most))
        // This limit does not exist, so the launch must report it.
        #expect(ResourceLimit(999, bound: 8).withinOwn() == ResourceLimit(999, bound: 8))
    }

    @Test func `the remedy of a failure is given once`() {
        let error = SandboxError("output", error: SystemError("pipe2", errno: EMFILE))
        #expect(error.cause == "pipe2: EMFILE (Too many open files)")
        #expect(error.description.components(separatedBy: "ulimit").count == 2)
    }
}

/// The kernel's limits for each process. They depend on the bounds that a control group enforces.
@Suite struct HeldLimitsTests {
    private func resources(_ policy: String, _ group: GroupBounds) throws -> [UInt32: UInt64] {
        let limits = try Policy.shipped(named: policy).limits
        let list = HeldLimits(limits, group: group, sharesItsUser: false).resources(limits, hasReaper: false)
        return Dictionary(uniqueKeysWithValues: list.map { ($0.resource, $0.hard) })
    }

    private let data = UInt32(RLIMIT_DATA.rawValue)
    private let addresses = UInt32(RLIMIT_AS.rawValue)

    @Test func `private memory is bounded unless a group bounds all memory`() throws {
        #expect(try resources("compute", [.memory, .swap])[data] == nil)
        #expect(try resources("compute", [.memory])[data] != nil)
        #expect(try resources("compute", [])[data] != nil)
    }

    @Test func `no limit of processor time is set if the policy states none`() throws {
        let processor = UInt32(RLIMIT_CPU.rawValue)
        let endless = try Policy.shipped(named: "compute").limited(to: ["processor=none"]).limits
        let held = HeldLimits(endless, group: [], sharesItsUser: false)
        #expect(try resources("compute", [])[processor] != nil)
        #expect(!held.resources(endless, hasReaper: false).contains { $0.resource == processor })
    }

    @Test func `addresses are bounded if one process has them and no group counts page tables`() throws {
        #expect(try resources("compute", [])[addresses] ?? .max <= 16 << 30)
        #expect(try resources("compute", [.memory])[addresses] == nil)
        #expect(try resources("tool", [])[addresses] == nil)
        var limits = try Policy.shipped(named: "compute").limits
        limits.tighten(memory: 1 << 20)
        let held = HeldLimits(limits, group: [], sharesItsUser: true)
        #expect(held.addressSpace(limits) == 16 << 30)
    }
}
