import AnnexBundle
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// The reader checks icons by their header, and never decodes them.
@Suite(.timeLimit(.minutes(20))) struct IconTests {
    private let file = "PlugIns/Editor.appex/Icon.png"

    private func png(width: UInt32, height: UInt32, depth: UInt8 = 8, colour: UInt8 = 6) -> [UInt8] {
        PictureStart.png(width: width, height: height, depth: depth, colour: colour)
    }

    private func withIcon(_ bytes: [UInt8], named name: String = "Icon.png") throws -> TestApp {
        let test = try TestApp()
        try test.write(bytes, to: file)
        try test.add("<key>CFBundleIconFile</key><string>\(name)</string>")
        return test
    }

    private struct Facts: Equatable {
        let width: Int
        let height: Int
        let type: TypeIdentifier
        let isTemplate: Bool

        init?(_ icon: consuming BundleIcon?) {
            guard let icon else { return nil }
            (width, height, type, isTemplate) = (icon.width, icon.height, icon.type, icon.isTemplate)
        }
    }

    /// The icon of the extension; nil if there is none.
    private func icon(_ test: TestApp) throws -> Facts? {
        let app = try AppBundle.open(test.path)
        return Facts(try app.icon(for: try #require(app.extensions.first)))
    }

    @Test(arguments: ["Icon.png", "Icon"])
    func `P6: the icon of an extension is an open file with its size`(name: String) throws {
        let test = try withIcon(png(width: 64, height: 32), named: name)
        let icon = try #require(try icon(test))
        #expect(icon.width == 64 && icon.height == 32 && icon.type == .png && !icon.isTemplate)
        #expect(test.finding(about: file) == nil)
    }

    @Test func `P6: the lists of icons of real apps are read`() throws {
        let test = try TestApp()
        try test.write(png(width: 120, height: 120), to: "AppIcon60x60@2x.png")
        try test.add(
            """
            <key>CFBundleIcons</key><dict><key>CFBundlePrimaryIcon</key><dict><key>CFBundleIconFiles</key>
            <array><string>AppIcon20x20</string><string>AppIcon60x60</string></array></dict></dict>
            """, to: "Info.plist")
        #expect(try icon(test)?.width == 120, "the extension falls back to the icon of its app")
    }

    @Test(arguments: [
        (UInt32(1) << 31, UInt32(1)), (1, 1 << 31), (UInt32.max, UInt32.max), (0, 5), (1_025, 1), (1, 1_025),
    ])
    func `P6: an icon that claims too many pixels is a finding, and is not offered`(width: UInt32, height: UInt32)
        throws
    {
        let test = try withIcon(png(width: width, height: height))
        let finding = try #require(test.finding(about: file))
        #expect(finding.severity == .warning && finding.fault.rule == .p6 && finding.fault.what.contains("pixels"))
        #expect(try icon(test) == nil)
    }

    @Test func `P6: only PNG is an icon`() throws {
        for text in ["<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "GIF89a", "", "\u{89}PNG"] {
            #expect(try withIcon(Array(text.utf8)).finding(about: file)?.fault.what == "is not a PNG picture")
        }
        #expect(try withIcon(png(width: 1, height: 1, depth: 3)).finding(about: file) != nil)
        #expect(try withIcon(png(width: 1, height: 1, colour: 5)).finding(about: file) != nil)
        let long = png(width: 1, height: 1) + [UInt8](repeating: 0, count: 1 << 20)
        #expect(try withIcon(long).finding(about: file)?.fault.what.contains("bytes") == true)
    }

    @Test(arguments: ["missing", "../../Info.plist", "/etc/passwd", "."])
    func `P6: an icon that is missing or leads out of its bundle is a finding`(name: String) throws {
        let test = try withIcon(png(width: 1, height: 1), named: name)
        #expect(test.findings(.warning).contains { $0.contains("P6") || $0.contains("P7") }, "\(test.findings())")
        #expect(try icon(test) == nil)
    }

    @Test(arguments: [("com.apple.share-services", false), ("com.apple.ui-services", true)])
    func `P6: a share extension shows the icon of its app, and an action shows it in one colour`(
        point: String, isTemplate: Bool
    ) throws {
        let test = try withIcon(png(width: 64, height: 64))
        try test.replace("com.apple.photo-editing", with: point)
        try test.write(png(width: 512, height: 512), to: "App.png")
        try test.add("<key>CFBundleIconFile</key><string>App</string>", to: "Info.plist")
        let icon = try #require(try icon(test))
        #expect(icon.width == 512 && icon.isTemplate == isTemplate)
        let own = Facts(try AppBundle.open(test.path).icon())
        #expect(own?.isTemplate == false)
    }
}
