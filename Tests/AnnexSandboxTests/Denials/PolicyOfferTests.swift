import AnnexPolicy
import Testing

@testable import AnnexLaunch

/// If an entitlement would allow a denied call, the report names the grant as the remedy.
@Suite struct PolicyOfferTests {
    private static func call(_ name: String, _ arguments: UInt64...) throws -> HeldCall {
        let number = try #require(SystemCall(named: name)).number
        return HeldCall(
            id: 1, thread: 0, architecture: Architecture.current.audit, number: number,
            arguments: arguments + [UInt64](repeating: 0, count: 6 - arguments.count))
    }

    @Test func `an offer covers the calls that its policy allows or refuses quietly`() throws {
        let policy = try Policy.shipped(named: "com.apple.widget-extension+com.apple.security.network.client")
        let offer = PolicyOffer(
            policy, remedy: .entitlement("com.apple.security.network.client", of: "a.b", isClaimed: true))
        #expect(offer.remedy.text == "annex grant a.b com.apple.security.network.client")
        #expect(try offer.covers(Self.call("socket", 2, 1)))
        #expect(try offer.covers(Self.call("connect")))
        // The C library makes these calls first. If they are denied after the grant, it continues without them.
        #expect(try offer.covers(Self.call("socket", 1, 1)))
        #expect(try !offer.covers(Self.call("socket", 17, 3)))
        #expect(try !offer.covers(Self.call("bind")))
        #expect(try !offer.covers(Self.call("ptrace")))
        #expect(try !offer.covers(Self.call("fchmod")))
    }
}
