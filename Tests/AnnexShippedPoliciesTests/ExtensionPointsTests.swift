import AnnexPolicy
import AnnexShippedPolicies
import Testing

@Suite struct ExtensionPointsTests {
    @Test func `every shipped policy is either an extension point or a general profile`() {
        let general: Set = ["base", "compute", "resources", "storage", "tool", "workspace"]
        #expect(ExtensionPoints.declared.union(general) == Set(PolicyLibrary.shipped.names))
        #expect(ExtensionPoints.declared.isDisjoint(with: general))
    }

    @Test func `a misspelled extension point gets a suggestion and a foreign name none`() {
        #expect(ExtensionPoints.nearest(to: "com.apple.photo-edting") == "com.apple.photo-editing")
        #expect(ExtensionPoints.nearest(to: "photo-editing") == "com.apple.photo-editing")
        #expect(ExtensionPoints.nearest(to: "com.apple.Safari.extension") == nil)
        #expect(ExtensionPoints.nearest(to: "tool") == nil)
    }
}
