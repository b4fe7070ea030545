import AnnexBundle
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexRegistry

/// The verdicts of the points on bundles.
@Suite struct PointVerdictTests {
    /// The fault that a library finds in a bundle; nil if the bundle can be used.
    private func fault(
        _ point: String, attributes: String = "", in library: PointLibrary = .shipped
    ) throws -> PointFault? {
        let made = try MadeApp("com.a", carrying: ["com.a.one"])
        let info = made.path + "/PlugIns/Part0.appex/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
            .replacing("com.apple.ui-services", with: point)
            .replacing(
                "<key>NSExtensionPrincipalClass</key>",
                with: "<key>NSExtensionAttributes</key><dict>\(attributes)</dict><key>NSExtensionPrincipalClass</key>")
        try Data(text.utf8).write(to: URL(filePath: info))
        let app = try AppBundle.open(made.path)
        let bundle = try #require(app.extensions.first, "\(app.rejected)")
        // The attributes are read from the folder again, so the app must live until then.
        return withExtendedLifetime(made) {
            do throws(PointFault) {
                _ = try library.point(of: bundle)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test(arguments: [
        "base", "compute", "resources", "storage", "tool", "transfer", "workspace", "com.example.nothing",
    ])
    func `a bundle gets no policy by naming it as its point`(name: String) throws {
        guard case .unsupportedPoint(let error)? = try fault(name) else {
            Issue.record("\(name) is no unsupported point")
            return
        }
        #expect(error.rule == .p2 && error.key == "NSExtensionPointIdentifier")
        #expect(error.what.contains(name) && error.remedy.contains("com.apple.widget-extension"))
    }

    @Test func `P2: an attribute of another kind than the point says is refused with its key`() throws {
        let wrong = "<key>PHSupportedMediaTypes</key><string>Image</string>"
        guard case .wrongAttribute(let error)? = try fault("com.apple.photo-editing", attributes: wrong) else {
            Issue.record("the attribute is accepted")
            return
        }
        #expect(error.key == "NSExtensionAttributes.PHSupportedMediaTypes" && error.what == "is a string")
        #expect(error.remedy.contains("make it an array"))
    }

    @Test func `A4: known attributes of the right kind and unknown ones are kept`() throws {
        #expect(
            try fault(
                "com.apple.photo-editing",
                attributes: "<key>PHSupportedMediaTypes</key><array/><key>Mine</key><real>1.5</real>") == nil)
        #expect(
            try fault(
                "com.apple.usernotifications.content-extension",
                attributes: "<key>UNNotificationExtensionInitialContentSizeRatio</key><integer>1</integer>") == nil)
        for rule in ["<string>TRUEPREDICATE</string>", "<dict/>"] {
            let attributes = "<key>NSExtensionActivationRule</key>" + rule
            #expect(try fault("com.apple.share-services", attributes: attributes) == nil)
        }
    }

    @Test func `an app with many points names only so many in an error`() throws {
        var library = PointLibrary.shipped
        for number in 0..<100 {
            let name = "com.example.point-\(number)"
            library = try library.adding(
                ExtensionPoint(
                    text: "point: \(name)\nname: A\nsummary: B\npolicy: compute\n", file: name + ".yaml"))
        }
        #expect(library.names.count == 110)
        let error = try #require(try fault("com.example.nothing", in: library)).error
        #expect(error.remedy.hasSuffix("and 90 more") && error.description.utf8.count < 1_000, "\(error)")
        #expect(try fault("com.example.point-7", in: library) == nil)
    }
}
