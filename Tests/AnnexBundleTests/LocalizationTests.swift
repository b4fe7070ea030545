import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// Names in the user's language (P6), and the files that hold them.
@Suite(.timeLimit(.minutes(20))) struct LocalizationTests {
    private func texts(_ text: String) throws -> [String: String] { try StringsFile.texts(Array(text.utf8)) }

    @Test func `P6: the old form of translations is read`() throws {
        let text = """
            /* A comment */ // another
            "CFBundleDisplayName" = "Bilder \\"A\\" \\U00fc\\n\\UD83D\\uDE00 ü";
            CFBundleName = Bilder; "alone";
            // the end
            """
        let expected = ["CFBundleDisplayName": "Bilder \"A\" ü\n😀 ü", "CFBundleName": "Bilder", "alone": "alone"]
        #expect(try texts(text) == expected)
        #expect(try texts("\u{FEFF}" + text) == expected)
        for (mark, encoding) in [([0xFF, 0xFE], String.Encoding.utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian)] {
            let data = try #require(text.data(using: encoding))
            #expect(try StringsFile.texts(mark.map { UInt8($0) } + [UInt8](data)) == expected)
        }
        #expect(try texts("") == [:] && texts(" // only this") == [:])
    }

    @Test func `P6: both forms of property lists are read as translations`() throws {
        let values = ["CFBundleName": "Bilder", "b": "ü"]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: values, format: format, options: 0)
            #expect(try StringsFile.texts([UInt8](data)) == values)
        }
        #expect(throws: PropertyListFailure.self) { try texts("<plist><array/></plist>") }
        #expect(throws: PropertyListFailure.self) { try texts("<plist><dict><key>a</key><true/></dict></plist>") }
    }

    @Test(arguments: [
        "a", "a = ;", "\"a\" = \"b\"", "\"a", "\"a\\", "= b;", "a = b; a = c;", "a = {b = c;};", "\"\\q\";",
        "\"\\U12\";",
        "\"\\UD800\";", "\"\\U+123\";", "/* no end", "a = b;;", "ü = b;", "a b;",
    ])
    func `P6: text that holds no translations is refused`(text: String) {
        #expect(throws: PropertyListFailure.self) { try texts(text) }
    }

    @Test(arguments: [[0xFF, 0xFE, 0x41], [0xFF, 0xFE, 0x00, 0xD8], [0x22, 0xFF, 0x22, 0x3B]] as [[UInt8]])
    func `P6: translations in a broken encoding are refused`(bytes: [UInt8]) {
        #expect(throws: PropertyListFailure.self) { try StringsFile.texts(bytes) }
    }

    @Test func `BOMB-16: too many or too long translations are refused`() throws {
        #expect(throws: PropertyListFailure.self) {
            try texts((0...512).map { "k\($0) = v;" }.joined())
        }
        #expect(throws: PropertyListFailure.self) { try texts(String(repeating: "k", count: 300) + "=v;") }
        #expect(throws: PropertyListFailure.self) { try texts(String(repeating: " ", count: 70_000)) }
    }

    @Test func `IPC-09: changed translations never trap`() {
        let whole = Array("/* c */ \"CFBundleName\" = \"a\\U00fc\\n\"; b = c; // d\n".utf8)
        let seed = SeededRandom.fresh()
        print("seed: ANNEX_SEED=\(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? StringsFile.texts(bytes)
        }
    }
}

/// The names that the bundles of a test give to users of several languages.
@Suite(.timeLimit(.minutes(20))) struct LocalizedNameTests {
    private func localized(_ folder: String, _ text: String, in test: TestApp) throws {
        try test.makeFolder("\(folder).lproj")
        try test.write(text, to: "\(folder).lproj/InfoPlist.strings")
    }

    private func name(_ test: TestApp, for languages: String...) throws -> String {
        let app = try AppBundle.open(test.path)
        return app.texts(of: try #require(app.extensions.first)).name.text(for: languages)
    }

    @Test func `P6: the first of the languages of the user that has a name counts`() throws {
        let test = try TestApp()
        try test.add("<key>CFBundleDisplayName</key><string>Editor</string>")
        let place = "PlugIns/Editor.appex"
        for (folder, name) in [
            ("de", "Bearbeiten"), ("de-AT", "Bearbeitn"), ("French", "Modifier"), ("zh-Hant", "編輯"),
            ("pt_BR", "Editar"),
        ] { try localized("\(place)/\(folder)", "CFBundleDisplayName = \"\(name)\";", in: test) }
        #expect(try name(test, for: "de-AT") == "Bearbeitn" && name(test, for: "de_CH.UTF-8") == "Bearbeiten")
        #expect(try name(test, for: "fr-CA") == "Modifier" && name(test, for: "zh-TW") == "編輯")
        #expect(try name(test, for: "pt_BR") == "Editar" && name(test, for: "PT-br", "de") == "Editar")
        #expect(try name(test, for: "it", "de") == "Bearbeiten" && name(test, for: "it") == "Editor")
        #expect(try name(test) == "Editor")
        try localized("\(place)/Base", "CFBundleDisplayName = Basis;", in: test)
        #expect(try name(test, for: "it") == "Basis")
    }

    @Test func `P6: the text of the author needs no translation, and serves users of all other languages`() throws {
        let test = try TestApp()
        try test.add(
            """
            <key>CFBundleDisplayName</key><string>Editor</string>
            <key>CFBundleDevelopmentRegion</key><string>en</string>
            """)
        try localized("PlugIns/Editor.appex/de", "CFBundleDisplayName = Bearbeiten;", in: test)
        #expect(try name(test, for: "en-GB", "de") == "Editor" && name(test, for: "it", "de") == "Bearbeiten")
        try localized("PlugIns/Editor.appex/en", "CFBundleDisplayName = \"The Editor\";", in: test)
        #expect(try name(test, for: "it") == "The Editor")
    }

    @Test func `P6: an extension without a name has that of its app in each language`() throws {
        let test = try TestApp()
        try localized("de", "CFBundleName = Bilder; CFBundleDisplayName = Anderes;", in: test)
        #expect(try name(test, for: "de") == "Bilder" && name(test, for: "en") == "Pictures")
        #expect(try AppBundle.open(test.path).texts().name.text(for: ["de"]) == "Anderes")
        try localized("PlugIns/Editor.appex/de", "CFBundleDisplayName = Eigenes;", in: test)
        #expect(try name(test, for: "de") == "Eigenes")
    }

    @Test func `P6: the summary is read in all languages`() throws {
        let test = try TestApp()
        #expect(try AppBundle.open(test.path).texts().summary == nil)
        try test.add("<key>NSHumanReadableDescription</key><string>Edits pictures</string>", to: "Info.plist")
        try localized("de", "NSHumanReadableDescription = \"Bearbeitet Bilder\";", in: test)
        let summary = try #require(try AppBundle.open(test.path).texts().summary)
        #expect(summary.text(for: ["de"]) == "Bearbeitet Bilder" && summary.text(for: []) == "Edits pictures")
    }

    @Test func `P6: a translation with a fault is a finding, and the name of Info plist stands`() throws {
        let test = try TestApp()
        let file = "de.lproj/InfoPlist.strings"
        for text in [
            "no translations", String(repeating: " ", count: 70_000), "CFBundleName = \"\u{202E}gnp\";",
            "CFBundleName = \"\(String(repeating: "x", count: 600))\";", "CFBundleName = \"\";",
        ] {
            try localized("de", text, in: test)
            let finding = try #require(test.finding(about: file), "\(text.prefix(20))")
            #expect(finding.severity == .warning && finding.fault.rule == .p6)
            #expect(try AppBundle.open(test.path).texts().name.text(for: ["de"]) == "Pictures")
        }
        try test.remove(file)
        symlink("/etc/passwd", "\(test.path)/\(file)")
        #expect(BundleValidation(app: test.path).hasErrors, "a link that leads out")
    }

    @Test func `BOMB-16: the translations of a bundle are read up to a limit`() throws {
        let test = try TestApp()
        // Each file is small enough by itself.
        let filling = "/*\(String(repeating: "x", count: 60_000))*/ CFBundleName = n;"
        for number in 0..<8 { try localized("l\(number)", filling, in: test) }
        #expect(try AppBundle.open(test.path).texts().name.translations.count == 4)
        #expect(test.findings(.warning).contains { $0.hasPrefix("warning P6 Pictures.app/l7") })
    }

    @Test func `BOMB-16: languages and their names are bounded`() throws {
        let test = try TestApp()
        for number in 0..<70 {
            try localized("l\(number)", "CFBundleName = \"\(String(repeating: "x", count: 500))\";", in: test)
        }
        let names = try AppBundle.open(test.path).texts().name.translations
        #expect(names.count <= 64 && names.reduce(0) { $0 + $1.value.utf8.count } <= 16 << 10)
        #expect(test.findings(.warning).contains("warning P6 Pictures.app"), "too many languages")
        #expect(test.findings(.warning).contains { $0.hasPrefix("warning P6 Pictures.app/l") }, "too many bytes")
    }
}
