import AnnexBundle
import AnnexRegistry
import AnnexTestSupport
import Foundation
import Testing

/// The verdict of an extension point on the entitlements in the bundle of an extension.
@Suite struct EntitlementClaimTests {
    private static let client = "com.apple.security.network.client"

    /// The fault that the points find in an extension with these entitlements; nil if the extension can be used.
    private static func fault(
        _ point: String, entitlements: [String], attributes: String = ""
    ) throws -> BundleError? {
        let made = try MadeApp("com.a", carrying: ["com.a.one"])
        let folder = made.path + "/PlugIns/Part0.appex"
        let text = try String(contentsOfFile: folder + "/Info.plist", encoding: .utf8)
            .replacing("com.apple.ui-services", with: point)
            .replacing(
                "<key>NSExtensionPrincipalClass</key>",
                with: "<key>NSExtensionAttributes</key><dict>\(attributes)</dict><key>NSExtensionPrincipalClass</key>")
        try Data(text.utf8).write(to: URL(filePath: folder + "/Info.plist"))
        let values = entitlements.map {
            let value = $0.hasSuffix("groups") ? "<array><string>group.com.a</string></array>" : "<true/>"
            return "<key>\($0)</key>\(value)"
        }
        let plist = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(values.joined())</dict></plist>"
        try Data(plist.utf8).write(to: URL(filePath: folder + "/Program.entitlements"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder + "/Program.entitlements")
        let app = try AppBundle.open(made.path)
        let bundle = try #require(app.extensions.first, "\(app.rejected)")
        #expect(bundle.entitlements.names == entitlements.sorted())
        return withExtendedLifetime(made) {
            do throws(PointFault) {
                _ = try PointLibrary.shipped.point(of: bundle)
                return nil
            } catch {
                return error.error
            }
        }
    }

    @Test func `an extension may ask for the entitlements that its point allows`() throws {
        let asked = [Self.client, "com.apple.security.app-sandbox", "com.apple.security.application-groups"]
        #expect(try Self.fault("com.apple.share-services", entitlements: asked) == nil)
        #expect(try Self.fault("com.apple.share-services", entitlements: []) == nil)
    }

    @Test func `an entitlement that the point does not allow is refused with entitlement and point named`() throws {
        let name = "com.apple.security.files.user-selected.read-write"
        let fault = try #require(try Self.fault("com.apple.photo-editing", entitlements: [Self.client, name]))
        #expect(fault.rule == .entitlements && fault.key == name)
        #expect(fault.file.hasSuffix("Part0.appex/Program.entitlements"))
        #expect(fault.what == "is not allowed to extensions of com.apple.photo-editing")
        #expect(fault.remedy.contains("The point allows com.apple.security.application-groups, \(Self.client)"))
    }

    @Test func `an entitlement that Annex does not know is refused`() throws {
        let fault = try #require(try Self.fault("com.apple.ui-services", entitlements: ["com.apple.security.camera"]))
        #expect(fault.key == "com.apple.security.camera")
        // Control characters for the terminal are escaped in the shown name.
        let strange = try #require(try Self.fault("com.apple.ui-services", entitlements: ["a\u{202E}b"]))
        #expect(strange.key?.unicodeScalars.contains("\u{202E}") == false)
    }

    @Test(arguments: [Self.client, "com.apple.security.application-groups"])
    func `a keyboard without open access has neither network nor shared container`(name: String) throws {
        let point = "com.apple.keyboard-service"
        for attributes in ["", "<key>RequestsOpenAccess</key><false/>"] {
            let fault = try #require(try Self.fault(point, entitlements: [name], attributes: attributes))
            #expect(fault.key == name && fault.remedy.contains("RequestsOpenAccess to true"))
        }
        let open = "<key>RequestsOpenAccess</key><true/>"
        #expect(try Self.fault(point, entitlements: [name], attributes: open) == nil)
    }
}
