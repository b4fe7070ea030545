import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// The validation must report every finding at once, with the same errors as an installation.
@Suite(.timeLimit(.minutes(20))) struct BundleValidationTests {
    private let editorInfo = "PlugIns/Editor.appex/Info.plist"

    @Test func `P10: a valid app has no errors`() throws {
        let test = try TestApp()
        #expect(test.findings(.error) == [])
        #expect(!BundleValidation(app: test.path).hasErrors)
    }

    @Test func `P10: every finding is reported at once with file, key, rule and remedy`() throws {
        let test = try TestApp()
        try test.replace("com.example.pictures.editor", with: "com.example.other")
        try test.replace("com.apple.photo-editing", with: "$(POINT)")
        try test.add("<key>CFBundleVersion</key><string>one</string>", to: "Info.plist")
        chmod("\(test.extensionPath)/Editor", 0o777)
        symlink("/etc/passwd", "\(test.path)/link")
        #expect(
            test.findings(.error) == [
                "error P7 Pictures.app/link",
                "error P12 Pictures.app/Info.plist: CFBundleVersion",
                "error P7 Pictures.app/PlugIns/Editor.appex/Editor",
                "error P3 Pictures.app/PlugIns/Editor.appex/Info.plist: CFBundleIdentifier",
                "error P2 Pictures.app/PlugIns/Editor.appex/Info.plist: NSExtensionPointIdentifier",
            ])
        let validation = BundleValidation(app: test.path)
        #expect(validation.findings.allSatisfy { !$0.fault.what.isEmpty && !$0.fault.remedy.isEmpty })
        let first = try #require(throws: BundleError.self) { _ = try AppBundle.open(test.path) }
        #expect(first == validation.findings.first?.fault, "the reader throws the first of them")
    }

    @Test func `P10: faults of an app without a property list do not hide those of its extensions`() throws {
        let test = try TestApp()
        try test.remove("Info.plist")
        try test.add("<key>CFBundleDisplayName</key><string>Editor</string>")
        try test.remove("PlugIns/Editor.appex/Editor")
        #expect(
            test.findings(.error) == [
                "error P2 Pictures.app/Info.plist", "error P7 Pictures.app/PlugIns/Editor.appex/Editor",
            ])
    }

    @Test func `P10: what is no app has one finding`() throws {
        #expect(BundleValidation(app: "/usr/share").findings.map(\.fault.rule) == [.p1])
        #expect(BundleValidation(app: "/no/such.app").findings.map(\.fault.rule) == [.p1])
    }

    @Test func `P10: the number of findings is bounded and the rest counted`() throws {
        let test = try TestApp()
        for number in 0..<300 { symlink("/etc", "\(test.path)/link\(number)") }
        let validation = BundleValidation(app: test.path)
        #expect(validation.count(of: .error) == 100 && validation.omitted == 200)
    }

    @Test(arguments: ["Plugins", "Plug-Ins", "Extensions/Mine", "PlugIns/Mine"])
    func `P1: an extension outside PlugIns is a warning with its remedy`(folder: String) throws {
        let test = try TestApp()
        try test.makeFolder(folder)
        try FileManager.default.moveItem(atPath: test.extensionPath, toPath: "\(test.path)/\(folder)/Editor.appex")
        let finding = try #require(test.finding(about: "\(folder)/Editor.appex"))
        #expect(finding.severity == .warning && finding.fault.rule == .p1)
        #expect(finding.fault.remedy == "move it to PlugIns/Editor.appex")
    }

    @Test func `P1: an app without an extension is a warning`() throws {
        let test = try TestApp()
        #expect(!test.findings(.warning).contains("warning P1 Pictures.app"))
        try test.remove("PlugIns")
        #expect(test.findings(.warning).contains("warning P1 Pictures.app"))
    }

    @Test(arguments: [
        (
            "<key>NSExtensionAttributes</key>",
            "<key>NSExtensionActivationRule</key><string>TRUEPREDICATE</string><key>NSExtensionAttributes</key>",
            "NSExtensionActivationRule", "move it into NSExtensionAttributes"
        ),
        (
            "<key>NSExtensionAttributes</key>",
            "<key>NSExtensionActivationSupportsText</key><true/><key>NSExtensionAttributes</key>",
            "NSExtensionActivationSupportsText", "move it into NSExtensionActivationRule of NSExtensionAttributes"
        ),
        (
            "<key>Unknown</key><integer>-7</integer>", "<key>NSExtensionActivationSupportsText</key><true/>",
            "NSExtensionActivationSupportsText",
            "move it into the dictionary NSExtensionActivationRule of NSExtensionAttributes"
        ),
        (
            "<key>NSExtension</key>", "<key>NSExtensionPrincipalClass</key><string>A</string><key>NSExtension</key>",
            "NSExtensionPrincipalClass", "move it into NSExtension"
        ),
    ])
    func `P2: a key at a place where nothing reads it is a warning with the right place`(
        text: String, other: String, key: String, remedy: String
    ) throws {
        let test = try TestApp()
        #expect(test.finding(about: editorInfo, key: key, saying: "no effect") == nil)
        try test.replace(text, with: other)
        let finding = try #require(test.finding(about: editorInfo, key: key, saying: "no effect"))
        #expect(finding.severity == .warning && finding.fault.remedy == remedy)
    }

    @Test func `P2: a fault in the text of a property list is named with its line`() throws {
        let test = try TestApp()
        try test.write("<?xml version=\"1.0\"?>\n<plist><dict>\n<string>a</string>\n</dict></plist>\n", to: editorInfo)
        #expect(test.finding(about: editorInfo)?.fault.what.contains("line 3, byte ") == true)
    }

    @Test func `P1: shared frameworks are refused`() throws {
        let test = try TestApp()
        try test.makeFolder("SharedFrameworks")
        let error = try test.rejection()
        #expect(error.rule == .p1 && error.file == "Pictures.app/SharedFrameworks" && error.remedy.contains("link"))
    }

    @Test func `P1: code among the shared resources is a warning`() throws {
        let test = try TestApp()
        try test.makeFolder("Frameworks/Filters")
        try test.write("a resource", to: "Frameworks/Filters/table")
        #expect(test.findings(.warning).filter { $0.contains("Frameworks") } == [])
        try test.writeProgram("Frameworks/Filters/libfilters.so")
        #expect(test.finding(about: "Frameworks/Filters/libfilters.so")?.severity == .warning)
        #expect(try AppBundle.open(test.path).extensions.count == 1)
    }

    @Test func `P1: a link from the shared resources to elsewhere in the app is a warning`() throws {
        let test = try TestApp()
        try test.makeFolder("Frameworks/Filters")
        symlink("Filters", "\(test.path)/Frameworks/Current")
        #expect(test.finding(about: "Frameworks/Current") == nil)
        symlink("../../Info.plist", "\(test.path)/Frameworks/Filters/info")
        #expect(test.finding(about: "Frameworks/Filters/info")?.severity == .warning)
        #expect(try AppBundle.open(test.path).extensions.count == 1)
    }

    @Test func `P1: a file beside the extensions is a warning`() throws {
        let test = try TestApp()
        try test.write("", to: "PlugIns/notes")
        #expect(test.finding(about: "PlugIns/notes")?.severity == .warning)
    }

    @Test func `P2: placeholders that Annex does not read are warnings, and others are errors`() throws {
        let test = try TestApp()
        try test.add("<key>NSHumanReadableCopyright</key><string>${OWNER}</string>")
        try test.replace("<integer>-7</integer>", with: "<string>$(X)</string>")
        try test.replace("Class</key><string>Editor<", with: "Class</key><string>$(MODULE).Editor<")
        let found = test.findings().filter { $0.contains("P2") }
        #expect(
            found == [
                "error P2 Pictures.app/\(editorInfo): NSExtensionPrincipalClass",
                "warning P2 Pictures.app/\(editorInfo): NSExtension.NSExtensionAttributes.Unknown",
                "warning P2 Pictures.app/\(editorInfo): NSHumanReadableCopyright",
            ])
    }

    @Test func `P2: a storyboard is kept and reported as unsupported`() throws {
        let test = try TestApp()
        try test.replace("NSExtensionPrincipalClass", with: "NSExtensionMainStoryboard")
        let finding = try #require(test.finding(about: editorInfo, key: "NSExtensionMainStoryboard"))
        #expect(finding.severity == .warning && finding.fault.rule == .p2)
        let found = try #require(try AppBundle.open(test.path).extensions.first)
        #expect(found.mainStoryboard == "Editor" && found.principalClass == nil)
    }

    @Test(arguments: ["TRUEPREDICATE", "truePredicate", "NOT (FALSEPREDICATE) OR TRUEPREDICATE"])
    func `A2: a rule that offers the extension for everything is a warning`(rule: String) throws {
        let test = try TestApp()
        try test.replace(
            "<key>Unknown</key>",
            with: "<key>NSExtensionActivationRule</key><string>\(rule)</string><key>Unknown</key>")
        let finding = try #require(test.finding(about: editorInfo, key: "NSExtensionActivationRule"))
        #expect(finding.severity == .warning && finding.fault.rule == .a2)
    }

    @Test(arguments: [
        ("<string>extensionItems.@number == 1</string>", "", "column 16"),
        ("<string>(1 == 1</string>", "", "column 8"),
        ("<integer>7</integer>", "", "neither a dictionary nor a predicate"),
        (
            "<dict><key>NSExtensionActivationSupportsText</key><string>yes</string></dict>",
            ".NSExtensionActivationSupportsText", "is not a boolean"
        ),
        (
            "<dict><key>NSExtensionActivationSupportsWebURL</key><true/></dict>",
            ".NSExtensionActivationSupportsWebURL", "is a key that no activation rule has"
        ),
    ])
    func `A1, A2: a fault of an activation rule is a warning with its place`(
        rule: String, key: String, words: String
    ) throws {
        let test = try TestApp()
        try test.replace("<key>Unknown</key>", with: "<key>NSExtensionActivationRule</key>\(rule)<key>Unknown</key>")
        let finding = try #require(test.finding(about: editorInfo, key: "NSExtensionActivationRule\(key)"))
        #expect(finding.severity == .warning && finding.fault.what.contains(words), "\(finding)")
        #expect(finding.fault.rule == (rule.hasPrefix("<dict>") ? .a1 : .a2))
    }

    @Test(arguments: [
        "<string>pictures</string>", "<array><string>pictures</string></array>",
        "<array><dict><key>CFBundleURLSchemes</key><string>pictures</string></dict></array>",
        "<array><dict><key>CFBundleURLSchemes</key><array><string>1st</string></array></dict></array>",
        "<array><dict><key>CFBundleURLSchemes</key><array><string>$(SCHEME)</string></array></dict></array>",
        "<array><dict><key>CFBundleURLSchemes</key><array><string></string></array></dict></array>",
        "<array><dict><key>CFBundleURLSchemes</key><array><string>Annex-Start</string></array></dict></array>",
    ])
    func `P2: URL types that are not well-formed are refused`(value: String) throws {
        let test = try TestApp()
        try test.add("<key>CFBundleURLTypes</key>\(value)", to: "Info.plist")
        let error = try test.rejection()
        #expect(error.rule == .p2 && error.key?.contains("URL") == true, "\(error)")
    }

    @Test func `A3: a declared type that belongs to the system is a warning`() throws {
        let test = try TestApp()
        let type = "<dict><key>UTTypeIdentifier</key><string>public.jpeg</string></dict>"
        try test.add("<key>UTExportedTypeDeclarations</key><array>\(type)</array>", to: "Info.plist")
        let finding = try #require(test.finding(about: "Info.plist", key: "UTExportedTypeDeclarations"))
        #expect(finding.severity == .warning && finding.fault.rule == .a3, "\(finding)")
    }

    @Test func `P2: the URL schemes of an app are read`() throws {
        let test = try TestApp()
        let type = "<dict><key>CFBundleURLSchemes</key><array><string>Pics</string><string>a+b</string></array></dict>"
        try test.add("<key>CFBundleURLTypes</key><array><dict/>\(type)\(type)</array>", to: "Info.plist")
        #expect(try AppBundle.open(test.path).urlSchemes == ["a+b", "pics"])
    }
}
