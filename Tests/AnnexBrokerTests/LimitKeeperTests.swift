import AnnexBrokerAPI
import AnnexLaunch
import AnnexPolicy
import Testing

@testable import AnnexBroker

/// For each limit, the launch report names the mechanism that was really set.
@Suite struct LimitKeeperTests {
    private func limits(
        _ policy: String, _ group: GroupBounds, sharesItsUser: Bool = false
    ) throws -> [String: LaunchReport.Limit] {
        let limits = try Policy.shipped(named: policy).limits
        let held = HeldLimits(limits, group: group, sharesItsUser: sharesItsUser)
        return Dictionary(uniqueKeysWithValues: LaunchReport.Limit.all(limits, held: held).map { ($0.name, $0) })
    }

    @Test func `a whole control group holds memory and processes`() throws {
        let found = try limits("tool", [.memory, .swap, .processes])
        #expect(found["memory"]?.enforcement == .enforced && found["memory"]?.keeper == "control group")
        #expect(found["processes"]?.keeper == "control group and RLIMIT_NPROC")
    }

    @Test func `a limit that a control group did not take is not credited to it`() throws {
        let found = try limits("tool", [.memory])
        #expect(found["memory"]?.enforcement == .watched)
        #expect(found["memory"]?.keeper.contains("without swap") == true)
        #expect(found["processes"]?.keeper == "RLIMIT_NPROC")
        let without = try limits("tool", [])
        #expect(without["memory"]?.enforcement == .watched)
        #expect(without["memory"]?.keeper.contains("group") == false)
    }

    @Test func `the processor time of many processes is watched and that of one enforced`() throws {
        #expect(try limits("tool", [])["processor"]?.enforcement == .watched)
        #expect(try limits("compute", [])["processor"]?.enforcement == .enforced)
    }

    @Test func `a program that runs as its caller leaves the caller descriptors`() throws {
        #expect(try limits("tool", [], sharesItsUser: true)["descriptors"]?.bound == "768")
        #expect(try limits("tool", [])["descriptors"]?.bound == "768")
        #expect(try limits("compute", [], sharesItsUser: true)["descriptors"]?.bound == "32")
    }
}
