import Testing

@testable import AnnexPolicy

@Suite struct ShippedPolicyTests {
    static let names = PolicyLibrary.shipped.names

    @Test func thePoliciesOfTheDemoAreShipped() {
        #expect(Self.names.contains("base"))
        #expect(Self.names.contains("compute"))
        #expect(Self.names.contains("com.apple.photo-editing"))
        #expect(Self.names.contains("com.apple.ui-services"))
    }

    @Test(arguments: names, Architecture.allCases)
    func everyShippedPolicyCompiles(name: String, architecture: Architecture) throws {
        let filter = try Policy.shipped(named: name, for: architecture).filter()
        #expect(filter.count > 50)
    }

    @Test func computeStaysWithinFortyFiveCalls() throws {
        let allowed = try Policy.shipped(named: "compute").allowedCalls
        print("compute allows \(allowed.count): \(allowed.joined(separator: " "))")
        #expect(allowed.count <= 45)
    }
}
