import AnnexShippedPolicies
import AnnexPolicy
import Testing

@Suite struct ExtensionPointsTests {
    @Test func `every shipped policy is a point or a general profile, and each is known as such`() {
        let general: Set = ["base", "compute", "resources", "tool", "workspace"]
        #expect(ExtensionPoints.declared.union(general) == Set(PolicyLibrary.shipped.names))
        #expect(ExtensionPoints.declared.isDisjoint(with: general))
    }

    @Test func `a name with a slip is answered with the point that was meant, another with none`() {
        #expect(ExtensionPoints.nearest(to: "com.apple.photo-edting") == "com.apple.photo-editing")
        #expect(ExtensionPoints.nearest(to: "photo-editing") == "com.apple.photo-editing")
        #expect(ExtensionPoints.nearest(to: "com.apple.Safari.extension") == nil)
        #expect(ExtensionPoints.nearest(to: "tool") == nil)
    }
}
