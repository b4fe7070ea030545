import AnnexBundle
import AnnexModel
import Foundation
import Testing

/// The names that users see (P6), and the versions that bundles state (P9, P12).
@Suite(.timeLimit(.minutes(20))) struct NameAndVersionTests {
    private let info = "PlugIns/Editor.appex/Info.plist"

    private func named(_ name: String) throws -> TestApp {
        let test = try TestApp()
        try test.add("<key>CFBundleDisplayName</key><string>\(name)</string>")
        return test
    }

    @Test(arguments: ["Рictures", "Pictureѕ", "Picturεs", "Pictures 𝐀pp", "Ｐictures"])
    func `P6: a name with letters that pose as others is a warning`(name: String) throws {
        let test = try named(name)
        let finding = try #require(test.finding(about: info, key: "CFBundleDisplayName"))
        #expect(finding.severity == .warning && finding.fault.rule == .p6)
        #expect(try AppBundle.open(test.path).extensions.count == 1)
    }

    @Test(arguments: ["Pictures", "Картинки", "Pictures — Картинки", "写真 Pictures", "Ελληνικά β2", "Åse Ōno", "5 µm"])
    func `P6: a name in one alphabet, or in words of several, is accepted`(name: String) throws {
        #expect(try named(name).finding(about: info, key: "CFBundleDisplayName", saying: "letter") == nil)
    }

    @Test func `P6: advice asks for a short name that names the app`() throws {
        let long = try named("Pictures — " + String(repeating: "x", count: 40))
        #expect(long.finding(about: info, key: "CFBundleDisplayName")?.severity == .advice)
        let foreign = try #require(try named("Editor").finding(about: info, key: "CFBundleDisplayName"))
        #expect(foreign.severity == .advice && foreign.fault.remedy.contains("\"Pictures — Editor\""))
        #expect(try named("Pictures — Editor").finding(about: info, key: "CFBundleDisplayName") == nil)
    }

    @Test(arguments: [
        ("1", "1.0"), ("1.0.0", "1"), ("1.9.3", "1.10"), ("0.9", "1"), ("1.2", "1.2.1"), ("9", "10"),
        ("20240101123456", "20240101123457"),
    ])
    func `P12: versions compare number by number`(low: String, high: String) throws {
        let (first, second) = (try #require(BundleVersion(low)), try #require(BundleVersion(high)))
        #expect(first <= second && !(second < first))
        #expect((first == second) == (first.numbers == second.numbers))
        #expect(first.text == low)
    }

    @Test(arguments: ["", ".", "1.", ".1", "1..2", "1.0b", "v1", "-1", "+1", " 1", "1 ", "١", "1234567890123456789"])
    func `P12: text that is no version is refused`(text: String) {
        #expect(BundleVersion(text) == nil)
    }

    @Test func `P12: a bundle states its version, and the version of its app counts if it does not`() throws {
        let test = try TestApp()
        #expect(test.finding(about: info, key: "CFBundleVersion")?.severity == .warning)
        #expect(try AppBundle.open(test.path).version == .unstated)
        try test.add(
            "<key>CFBundleVersion</key><string>12</string><key>CFBundleShortVersionString</key><string>1.2</string>",
            to: "Info.plist")
        let app = try AppBundle.open(test.path)
        #expect(app.version.text == "12" && app.shortVersion.text == "1.2")
        #expect(app.extensions.first?.version.text == "12" && app.extensions.first?.shortVersion.text == "1.2")
        try test.add("<key>CFBundleVersion</key><string>13</string>")
        #expect(try AppBundle.open(test.path).extensions.first?.version.text == "13")
        #expect(test.finding(about: info, key: "CFBundleVersion")?.severity == .advice)
    }

    @Test func `P12: a version that cannot be compared is refused`() throws {
        let test = try TestApp()
        try test.add("<key>CFBundleVersion</key><string>1.0-beta</string>")
        let error = try test.rejection()
        #expect(error.rule == .p12 && error.key == "CFBundleVersion" && error.what.contains("1.0-beta"))
    }

    @Test func `P9: a bundle that requires a later Annex is refused and both versions named`() throws {
        let later = "\((BundleVersion.annex.numbers.first ?? 0) + 1).0"
        let key = "<key>LSMinimumSystemVersion</key><string>\(later)</string>"
        let test = try TestApp()
        try test.add(key)
        let error = try test.rejection()
        #expect(error.rule == .p9 && error.what.contains(later) && error.what.contains(BundleVersion.annex.text))
        #expect(try AppBundle.open(test.path).extensions.isEmpty, "the extension alone")
        try test.write(TestApp.extensionInfo, to: info)
        try test.add(key, to: "Info.plist")
        let whole = try #require(throws: BundleError.self) { _ = try AppBundle.open(test.path) }
        #expect(whole.rule == .p9 && whole.file == "Pictures.app/Info.plist")
    }

    @Test(arguments: ["0", "0.1", BundleVersion.annex.text])
    func `P9: a bundle that this Annex satisfies is accepted`(least: String) throws {
        let test = try TestApp()
        try test.add("<key>LSMinimumSystemVersion</key><string>\(least)</string>")
        #expect(try AppBundle.open(test.path).extensions.count == 1)
    }
}
