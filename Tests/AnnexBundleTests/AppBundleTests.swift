import AnnexBundle
import AnnexLinux
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct AppBundleTests {
    @Test func `a whole app gives its extensions`() throws {
        let test = try TestApp()
        let app = try AppBundle.open(test.path)
        #expect(app.identifier == "com.example.pictures")
        let found = try #require(app.extensions.first)
        #expect(found.identifier == "com.example.pictures.editor")
        #expect(found.extensionPoint == "com.apple.photo-editing")
        #expect(found.displayName == "Pictures", "P6: the app's name where the extension has none")
        let attributes = try found.attributes()
        #expect(attributes["PHSupportedMediaTypes"] == .array([.string("Image")]))
        #expect(attributes["Unknown"] == .integer(-7))
        #expect(found.containingApp == app.identifier)
    }

    @Test func `lists of quick actions show the widget that the app names, or its only one`() throws {
        let test = try TestApp()
        #expect(try AppBundle.open(test.path).shortcutWidget == nil, "the app has no widget")
        try test.replace("com.apple.photo-editing", with: "com.apple.widget-extension")
        #expect(try AppBundle.open(test.path).shortcutWidget == "com.example.pictures.editor")
        let key = "<key>UIApplicationShortcutWidget</key>"
        try test.add("\(key)<string>com.example.pictures.editor</string>", to: "Info.plist")
        #expect(try AppBundle.open(test.path).shortcutWidget == "com.example.pictures.editor")
        try test.replace("\(key)<string>com.example.pictures.editor", with: "\(key)<string>other", in: "Info.plist")
        #expect(try AppBundle.open(test.path).shortcutWidget == nil, "no other one takes its place")
        try test.replace("\(key)<string>other</string>", with: "\(key)<true/>", in: "Info.plist")
        #expect(try AppBundle.open(test.path).shortcutWidget == nil)
        #expect(test.findings(.warning).contains("warning P2 Pictures.app/Info.plist: UIApplicationShortcutWidget"))
    }

    /// The number of bytes of text in a value and in all values that it contains.
    private func text(in value: Any) -> Int {
        if let text = value as? String { return text.utf8.count }
        return Mirror(reflecting: value).children.reduce(0) { $0 + text(in: $1.value) }
    }

    @Test func `an extension in memory keeps only the keys that Annex needs`() throws {
        let test = try TestApp()
        let filling = String(repeating: "x", count: 100_000)
        let info = "PlugIns/Editor.appex/Info.plist"
        try test.write(
            TestApp.extensionInfo.replacingOccurrences(
                of: "<key>Unknown</key>", with: "<key>Filling</key><string>\(filling)</string><key>Unknown</key>"),
            to: info)
        let found = try #require(try AppBundle.open(test.path).extensions.first)
        #expect(text(in: found) < 1_000)
        #expect(try found.attributes()["Filling"] == .string(filling))
        try test.write(TestApp.extensionInfo, to: info)
        let error = try #require(throws: BundleError.self) { _ = try found.attributes() }
        #expect(error.what == "has changed since it was checked")
    }

    @Test func `START-07: a program that was overwritten is noticed even with its old times`() throws {
        let test = try TestApp()
        let found = try #require(try AppBundle.open(test.path).extensions.first)
        #expect(try found.executable.isUnchanged())
        let path = "\(test.extensionPath)/Editor"
        var last = stat()
        #expect(stat(path, &last) == 0)
        // One byte is overwritten in place. Then the modification time is set back.
        let file = open(path, O_WRONLY)
        #expect(pwrite(file, "x", 1, 19) == 1)
        var times = [last.st_atim, last.st_mtim]
        #expect(futimens(file, &times) == 0)
        close(file)
        #expect(try !found.executable.isUnchanged())
    }

    @Test func `START-07: an open program stays the checked one if its name leads to another file`() throws {
        let test = try TestApp()
        let found = try #require(try AppBundle.open(test.path).extensions.first)
        try test.remove("PlugIns/Editor.appex/Editor")
        try test.write("#!/bin/sh", to: "PlugIns/Editor.appex/Editor")
        let held = try found.executable.descriptor.status()
        #expect(held.inode == found.executable.status.inode && held.device == found.executable.status.device)
        #expect(try found.executable.descriptor.read(at: 0, count: 4) == [0x7F, 0x45, 0x4C, 0x46])
    }

    @Test func `P1: a directory without the app suffix is no app`() throws {
        let error = try #require(throws: BundleError.self) { _ = try AppBundle.open("/usr/share") }
        #expect(error.rule == .p1)
        let missing = try #require(throws: BundleError.self) { _ = try AppBundle.open("/no/such.app") }
        #expect(missing.rule == .p1 && missing.description.contains("ENOENT"))
    }

    @Test(arguments: [
        ("CFBundleIdentifier", BundleRule.p2), ("CFBundleExecutable", .p7), ("NSExtension", .p2),
        ("NSExtensionPointIdentifier", .p2),
    ])
    func `P2: a missing key is named with its file`(key: String, rule: BundleRule) throws {
        let test = try TestApp()
        try test.write(
            TestApp.extensionInfo.replacingOccurrences(of: "<key>\(key)<", with: "<key>Other<"),
            to: "PlugIns/Editor.appex/Info.plist")
        let error = try test.rejection()
        #expect(error.key == key && error.rule == rule)
        #expect(error.file == "Pictures.app/PlugIns/Editor.appex/Info.plist")
    }

    @Test func `P2: a placeholder of a build setting is reported`() throws {
        let test = try TestApp()
        try test.write(
            TestApp.extensionInfo.replacingOccurrences(
                of: "com.example.pictures.editor", with: "$(PRODUCT_BUNDLE_IDENTIFIER)"),
            to: "PlugIns/Editor.appex/Info.plist")
        let error = try test.rejection()
        #expect(error.rule == .p2 && error.key == "CFBundleIdentifier")
        #expect(error.what.contains("$(PRODUCT_BUNDLE_IDENTIFIER)"))
    }

    @Test(arguments: ["com.example.other.editor", "com.example.pictures", "com.example.picturesque.editor"])
    func `P3: the identifier of an extension starts with that of its app and a dot`(identifier: String) throws {
        let test = try TestApp()
        try test.write(
            TestApp.extensionInfo.replacingOccurrences(of: "com.example.pictures.editor", with: identifier),
            to: "PlugIns/Editor.appex/Info.plist")
        #expect(try test.rejection().rule == .p3)
    }

    @Test(arguments: ["-rf", "../../etc", "com..example", "a/b", "com.example.\u{1B}[31m", "com.-x", ""])
    func `DEPUTY-04: an identifier that is not a plain name is refused`(identifier: String) throws {
        let test = try TestApp()
        try test.write(
            TestApp.appInfo.replacingOccurrences(of: "com.example.pictures", with: identifier), to: "Info.plist")
        let error = try test.rejection()
        #expect(error.key == "CFBundleIdentifier" && !error.description.contains("\u{1B}"))
    }

    @Test func `P4: an app without a program of its own is refused`() throws {
        let test = try TestApp()
        try test.remove("Pictures")
        #expect(try test.rejection().rule == .p4)
        try test.write(TestApp.appInfo.replacingOccurrences(of: "CFBundleExecutable", with: "Other"), to: "Info.plist")
        #expect(try test.rejection().rule == .p4)
    }

    @Test func `P6: an extension without any name is refused`() throws {
        let test = try TestApp()
        try test.write(TestApp.appInfo.replacingOccurrences(of: "CFBundleName", with: "Other"), to: "Info.plist")
        #expect(try test.rejection().rule == .p6)
    }

    @Test func `P3: the second of two extensions with one identifier is refused`() throws {
        let test = try TestApp()
        try FileManager.default.copyItem(atPath: test.extensionPath, toPath: "\(test.path)/PlugIns/Twin.appex")
        #expect(try test.rejection().rule == .p3)
        #expect(try AppBundle.open(test.path).rejected.map(\.place) == ["PlugIns/Twin.appex"])
    }

    @Test func `an extension that breaks a rule is refused alone`() throws {
        let test = try TestApp()
        for name in ["Broken", "Whole"] {
            let place = "PlugIns/\(name).appex"
            try FileManager.default.copyItem(atPath: test.extensionPath, toPath: "\(test.path)/\(place)")
            try test.write(
                TestApp.extensionInfo.replacingOccurrences(of: "pictures.editor", with: "pictures.\(name)"),
                to: "\(place)/Info.plist")
        }
        try test.remove("PlugIns/Broken.appex/Editor")
        let app = try AppBundle.open(test.path)
        #expect(app.extensions.map(\.identifier) == ["com.example.pictures.editor", "com.example.pictures.Whole"])
        let rejected = try #require(app.rejected.first)
        #expect(app.rejected.count == 1 && rejected.identifier == "com.example.pictures.Broken")
        #expect(
            rejected.error.file == "Pictures.app/PlugIns/Broken.appex/Editor" && rejected.error.what == "is missing")
    }

    @Test func `P7: a program that needs a dynamic linker is refused and the linker named`() throws {
        let test = try TestApp()
        try test.remove("PlugIns/Editor.appex/Editor")
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: "\(test.path)/PlugIns/Editor.appex/Editor")
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.what.contains("/ld-linux"), "\(error)")
        #expect(error.remedy.contains("-static-executable"), "\(error)")
        // The app's own program runs outside any sandbox.
        try test.remove("Pictures")
        try FileManager.default.copyItem(atPath: "/bin/true", toPath: "\(test.path)/Pictures")
        try test.writeProgram("PlugIns/Editor.appex/Editor")
        #expect(try AppBundle.open(test.path).extensions.count == 1)
    }
}
