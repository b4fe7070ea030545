import AnnexBundle
import AnnexBundling
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// Apps that are made from a layout, programs and settings.
@Suite(.timeLimit(.minutes(20))) struct BundleMakerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["Layout/PlugIns/Count.appex/de.lproj", "Layout/Frameworks/Words", "bin"] {
            try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        try write(
            """
            <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
            <key>CFBundleName</key><string>$(PRODUCT_NAME)</string>
            <key>CFBundleExecutable</key><string>$(EXECUTABLE_NAME)</string>
            <key>CFBundleVersion</key><string>$(CURRENT_PROJECT_VERSION)</string>
            <key>CFBundleShortVersionString</key><string>1.0</string>
            """, to: "Layout/Info.plist")
        try write(
            """
            <key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
            <key>CFBundleDisplayName</key><string>Words — $(PRODUCT_NAME)</string>
            <key>CFBundleExecutable</key><string>${EXECUTABLE_NAME}</string>
            <key>CFBundleVersion</key><string>$(CURRENT_PROJECT_VERSION)</string>
            <key>CFBundleShortVersionString</key><string>1.0</string>
            <key>NSExtension</key><dict>
              <key>NSExtensionPointIdentifier</key><string>com.apple.ui-services</string>
              <key>NSExtensionPrincipalClass</key><string>$(PRODUCT_MODULE_NAME).Main</string></dict>
            """, to: "Layout/PlugIns/Count.appex/Info.plist")
        try write(
            """
            <key>com.apple.security.application-groups</key><array><string>group.$(TEAM).words</string></array>
            """, to: "Layout/PlugIns/Count.appex/Anything.entitlements")
        try Data("\"CFBundleDisplayName\" = \"Wörter\";".utf8).write(
            to: url("Layout/PlugIns/Count.appex/de.lproj/InfoPlist.strings"))
        try Data("table".utf8).write(to: url("Layout/Frameworks/Words/table"))
        try writeProgram("bin/Words")
        try writeProgram("bin/Count")
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }
    private func url(_ name: String) -> URL { folder.url.appending(path: name) }

    private func write(_ entries: String, to file: String) throws {
        try Data("<plist version=\"1.0\"><dict>\(entries)</dict></plist>".utf8).write(to: url(file))
    }

    private func writeProgram(_ file: String, machine: UInt8? = nil) throws {
        try StaticProgram.header(machine: machine).write(to: url(file))
    }

    private var recipe: BundleRecipe {
        var recipe = BundleRecipe(folder: path("Layout"), programs: ["": path("bin")])
        recipe.settings = [
            "PRODUCT_BUNDLE_IDENTIFIER": "com.example.words", "CURRENT_PROJECT_VERSION": "7", "TEAM": "com.example",
        ]
        return recipe
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    @Test func `P2: an app is made with its placeholders filled in`() throws {
        let validation = try BundleMaker(recipe).make(path("Words.app"))
        #expect(!validation.hasErrors, "\(validation.findings)")
        let app = try AppBundle.open(path("Words.app"))
        #expect(app.identifier == "com.example.words" && app.displayName == "Words" && app.version.text == "7")
        let found = try #require(app.extensions.first)
        #expect(found.identifier == "com.example.words.Count" && found.principalClass == "Count.Main")
        #expect(found.displayName == "Words — Count")
        #expect(found.entitlements.applicationGroups == ["group.com.example.words"])
        #expect(app.texts(of: found).name.text(for: ["de"]) == "Wörter")
        #expect(try String(contentsOf: url("Words.app/Frameworks/Words/table"), encoding: .utf8) == "table")
    }

    @Test func `P2: a setting without a value is reported and the app is made all the same`() throws {
        var recipe = recipe
        recipe.settings["CURRENT_PROJECT_VERSION"] = nil
        let validation = try BundleMaker(recipe).make(path("Words.app"))
        let keys = validation.findings.filter { $0.severity == .error }.map(\.fault.key)
        #expect(keys == ["CFBundleVersion", "CFBundleVersion"])
        #expect(validation.findings.first?.fault.what.contains("$(CURRENT_PROJECT_VERSION)") == true)
    }

    @Test func `settings and programs of one extension are its own`() throws {
        var recipe = recipe
        #expect(recipe.set("Count.appex:PRODUCT_NAME=Counter") && recipe.set("Words.app:PRODUCT_NAME=All Words"))
        #expect(!recipe.set("x") && !recipe.set("=x") && !recipe.set("a:=x"))
        recipe.files = ["Count.appex": path("bin/Count"), "Words.app": path("bin/Words")]
        _ = try BundleMaker(recipe).make(path("Words.app"))
        let app = try AppBundle.open(path("Words.app"))
        #expect(app.displayName == "All Words" && app.executable.path.hasSuffix("/All Words"))
        #expect(app.extensions.first?.executable.path.hasSuffix("Count.appex/Counter") == true)
    }

    @Test func `a file of settings gives the same app, with paths relative to the file`() throws {
        try write(
            """
            <key>Folder</key><string>Layout</string><key>Programs</key><string>bin</string>
            <key>Settings</key><dict><key>CURRENT_PROJECT_VERSION</key><string>7</string>
              <key>PRODUCT_BUNDLE_IDENTIFIER</key><string>com.example.words</string>
              <key>TEAM</key><string>com.example</string></dict>
            <key>BundleSettings</key><dict><key>Count.appex</key><dict>
              <key>PRODUCT_MODULE_NAME</key><string>Module</string></dict></dict>
            """, to: "Words.plist")
        _ = try BundleMaker(BundleRecipe(file: path("Words.plist"))).make(path("Words.app"))
        #expect(try AppBundle.open(path("Words.app")).extensions.first?.principalClass == "Module.Main")
        try write("<key>Folder</key><string>Layout</string><key>Program</key><string>bin</string>", to: "Wrong.plist")
        let error = #expect(throws: BundlingError.self) { try BundleRecipe(file: path("Wrong.plist")) }
        #expect(error?.code == .settings && error?.place.hasSuffix("Wrong.plist: Program") == true)
    }

    @Test func `P11: programs for two processors lie in folders of their own`() throws {
        for (name, machine) in [("x86_64", UInt8(62)), ("aarch64", 183)] {
            try FileManager.default.createDirectory(atPath: path("bin/\(name)"), withIntermediateDirectories: true)
            for program in ["Words", "Count"] { try writeProgram("bin/\(name)/\(program)", machine: machine) }
        }
        var recipe = recipe
        recipe.programs = ["x86_64": path("bin/x86_64"), "aarch64": path("bin/aarch64")]
        #expect(try !BundleMaker(recipe).make(path("Words.app")).hasErrors)
        #expect(FileManager.default.isExecutableFile(atPath: path("Words.app/PlugIns/Count.appex/aarch64/Count")))
        #expect(!FileManager.default.fileExists(atPath: path("Words.app/Words")))
    }

    @Test func `P7: the files of a new app can be read by every user and changed by the owner`() throws {
        chmod(path("Layout/Frameworks/Words/table"), 0o666)
        chmod(path("Layout/Frameworks"), 0o777)
        #expect(try !BundleMaker(recipe).make(path("Words.app")).hasErrors)
        for (file, mode) in [("Frameworks/Words/table", mode_t(0o644)), ("Frameworks", 0o755), ("Words", 0o755)] {
            var status = stat()
            #expect(stat(path("Words.app/\(file)"), &status) == 0 && status.st_mode & 0o7777 == mode, "\(file)")
        }
    }

    @Test func `an app that is there is replaced only if asked, and never a folder that is no app`() throws {
        _ = try BundleMaker(recipe).make(path("Words.app"))
        try Data("old".utf8).write(to: url("Words.app/old"))
        let error = #expect(throws: BundlingError.self) { try BundleMaker(recipe).make(path("Words.app")) }
        #expect(error?.code == .place && error?.remedy?.contains("--force") == true)
        _ = try BundleMaker(recipe).make(path("Words.app"), replacing: true)
        #expect(!FileManager.default.fileExists(atPath: path("Words.app/old")))
        try FileManager.default.createDirectory(atPath: path("Mine.app/deep"), withIntermediateDirectories: true)
        let other = #expect(throws: BundlingError.self) {
            try BundleMaker(recipe).make(path("Mine.app"), replacing: true)
        }
        #expect(other?.code == .place && FileManager.default.fileExists(atPath: path("Mine.app/deep")))
        #expect(throws: BundlingError.self) { try BundleMaker(recipe).make(path("Words")) }
        #expect(try names == ["Layout", "Mine.app", "Words.app", "bin"], "nothing else is left")
    }

    @Test func `a fault on the way leaves the old app and nothing else`() throws {
        _ = try BundleMaker(recipe).make(path("Words.app"))
        try Data("old".utf8).write(to: url("Words.app/old"))
        try FileManager.default.removeItem(atPath: path("bin/Count"))
        let error = #expect(throws: BundlingError.self) {
            try BundleMaker(recipe).make(path("Words.app"), replacing: true)
        }
        #expect(
            error?.code == .program && error?.remedy?.contains("build it first") == true, "\(String(describing: error))"
        )
        mkfifo(path("Layout/pipe"), 0o644)
        let pipe = #expect(throws: BundlingError.self) {
            try BundleMaker(recipe).make(path("Words.app"), replacing: true)
        }
        #expect(pipe?.code == .layout && pipe?.place.hasSuffix("Layout/pipe") == true)
        #expect(FileManager.default.fileExists(atPath: path("Words.app/old")))
        #expect(try names == ["Layout", "Words.app", "bin"])
    }

    @Test func `names of no bundle and of no processor are refused with the names that are valid`() throws {
        var wrong = recipe
        wrong.files = ["Cuont.appex": path("bin/Count")]
        let bundle = #expect(throws: BundlingError.self) { try BundleMaker(wrong).make(path("Words.app")) }
        #expect(bundle?.code == .settings && bundle?.remedy == "the bundles are Words.app, Count.appex")
        wrong = recipe
        wrong.ownSettings = ["Cuont.appex": ["PRODUCT_NAME": "x"]]
        #expect(throws: BundlingError.self) { try BundleMaker(wrong).make(path("Words.app")) }
        wrong = recipe
        wrong.programs = ["x86-64": path("bin")]
        let processor = #expect(throws: BundlingError.self) { try BundleMaker(wrong).make(path("Words.app")) }
        #expect(processor?.place == "x86-64" && processor?.remedy == "the processors are x86_64 and aarch64")
        #expect(try names == ["Layout", "bin"])
    }

    @Test func `two lists of entitlements in one bundle are refused`() throws {
        try Data("<plist/>".utf8).write(to: url("Layout/PlugIns/Count.appex/Z.entitlements"))
        let error = #expect(throws: BundlingError.self) { try BundleMaker(recipe).make(path("Words.app")) }
        #expect(
            error?.code == .layout && error?.what.contains("Z.entitlements") == true, "\(String(describing: error))")
    }

    @Test func `an app inside its own layout is refused`() throws {
        let error = #expect(throws: BundlingError.self) { try BundleMaker(recipe).make(path("Layout/Words.app")) }
        #expect(error?.code == .layout && error?.remedy?.contains("outside") == true)
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: path("Layout")).contains { $0.contains("Words.app") })
    }

    @Test func `a layout that links out of itself makes an app that is refused`() throws {
        symlink("/etc/passwd", path("Layout/out"))
        let validation = try BundleMaker(recipe).make(path("Words.app"))
        #expect(validation.findings.contains { $0.severity == .error && $0.fault.file == "Words.app/out" })
        try FileManager.default.removeItem(atPath: path("Layout/PlugIns/Count.appex/Info.plist"))
        symlink("/etc/passwd", path("Layout/PlugIns/Count.appex/Info.plist"))
        #expect(throws: BundlingError.self) { try BundleMaker(recipe).make(path("Other.app")) }
    }
}
