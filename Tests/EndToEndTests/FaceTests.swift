import AnnexEmbedded
import AnnexHost
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

/// The parts of extensions that users see: names, summaries and icons. They must be the same for both kinds of broker.
@Suite(.timeLimit(.minutes(20))) struct FaceTests {
    /// A host, and an app that is not installed yet.
    private final class Scene {
        var host: AnnexHost
        let daemon: TestDaemon?
        let app: SubstituteApp
        static let part = "PlugIns/Loud.appex"

        init(_ door: Door, point: String? = nil) async throws {
            app = try SubstituteApp(running: "works-on")
            (host, daemon) = try await door.open()
            if let point { try app.setPoint(point) }
        }

        func install() throws { try host.installAndWait(app: app.path) }

        /// The app that the broker uses: the host's own copy, or the daemon's.
        var installed: String {
            get throws {
                guard let daemon else { return app.path }
                return try daemon.installedApp
            }
        }

        func write(_ bytes: [UInt8], to file: String, of app: String? = nil) throws {
            let place = URL(filePath: "\(app ?? self.app.path)/\(file)")
            try? FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
            try Data(bytes).write(to: place, options: .atomic)
            // The file modes are part of the rules, so they must not depend on the umask of the tests.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place.path)
        }

        func translate(_ language: String, _ text: String) throws {
            try write(Array(text.utf8), to: "\(Self.part)/\(language).lproj/InfoPlist.strings")
        }

        func add(_ keys: String, to folder: String = part) throws {
            let info = "\(folder)/Info.plist".drop { $0 == "/" }
            let text = try String(contentsOfFile: "\(app.path)/\(info)", encoding: .utf8)
            let range = try #require(text.range(of: "<key>CFBundleName</key>"))
            try write(
                Array(text.replacingCharacters(in: range, with: keys + "<key>CFBundleName</key>").utf8),
                to: String(info))
        }

        /// Adds an icon to the app, under the name `Icon.png`.
        func addIcon(_ bytes: [UInt8]) throws {
            try write(bytes, to: "Icon.png")
            try add("<key>CFBundleIconFile</key><string>Icon</string>", to: "")
        }

        func icon() async throws -> ExtensionIcon? { try await host.icon(of: SubstituteApp.identifier) }

        /// The icon of the extension. The function throws an error if the extension has no icon.
        func presentIcon() async throws -> ExtensionIcon {
            guard let icon = try await icon() else { throw CocoaError(.fileNoSuchFile) }
            return icon
        }

        func iconError() throws -> BrokerError? {
            do throws(BrokerError) {
                _ = try host.iconAndWait(of: SubstituteApp.identifier)
                return nil
            } catch {
                return error
            }
        }
    }

    /// A picture of the given size. All its bytes differ from those of a picture with another seed.
    private static func png(width: UInt32 = 64, height: UInt32 = 32, length: Int = 100, seed: UInt8 = 1) -> [UInt8] {
        let head = PictureStart.png(width: width, height: height)
        return head + (head.count..<max(length, head.count)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(seed)) }
    }

    @Test(arguments: Door.allCases) func `P6: a host gets names and summaries in its languages`(door: Door) async throws
    {
        let scene = try await Scene(door)
        try scene.add("<key>NSHumanReadableDescription</key><string>Makes texts loud.</string>")
        try scene.translate("de", "CFBundleDisplayName = \"Shout — Laut\"; NSHumanReadableDescription = \"Ruft.\";")
        try scene.translate("pt-BR", "CFBundleDisplayName = \"Shout — Alto\";")
        try scene.install()
        func shown(_ languages: [String]) throws -> [String?] {
            scene.host.languages = languages
            let one = try #require(try scene.host.installedAndWait().first)
            #expect(scene.host.extensionsAndWait() == [one])
            return [one.displayName, one.summary]
        }
        #expect(try shown(["de_AT.UTF-8", "pt-BR"]) == ["Shout — Laut", "Ruft."])
        #expect(try shown(["xx", "pt_BR", "de"]) == ["Shout — Alto", "Ruft."])
        #expect(try shown(["en", "de"]) == ["Shout — Loud", "Makes texts loud."])
        #expect(try shown([]) == ["Shout — Loud", "Makes texts loud."])
        #expect(
            try shown(["not a language", "\u{0}", String(repeating: "x", count: 9_000), "de"])[0] == "Shout — Laut")
    }

    @Test func `a name is read again if a file with names could not be read`() async throws {
        let scene = try await Scene(.embedded)
        try scene.install()
        let file = "\(Scene.part)/de.lproj/InfoPlist.strings"
        try scene.write(Array("no translations".utf8), to: file)
        var host = scene.host
        host.languages = ["de"]
        #expect(await host.extensions().map(\.displayName) == ["Shout — Loud"])
        try scene.write(Array("CFBundleDisplayName = \"Shout — Laut\";".utf8), to: file)
        #expect(await host.extensions().map(\.displayName) == ["Shout — Laut"])
    }

    @Test(arguments: Door.allCases)
    func `A3: after the same version is installed anew, names and offers are those of the new files`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let text = [ExtensionItem(contentText: "hello")]
        try scene.add("<key>NSHumanReadableDescription</key><string>Makes texts loud.</string>")
        try scene.install()
        for _ in 0..<2 {
            let offered = try await scene.host.extensions(for: text).offered
            #expect(offered.map(\.summary) == ["Makes texts loud."])
        }
        let info = "\(scene.app.path)/\(Scene.part)/Info.plist"
        let changed = try String(contentsOfFile: info, encoding: .utf8)
            .replacing("Makes texts loud.", with: "Makes pictures loud.")
            .replacing("NSExtensionActivationSupportsText", with: "NSExtensionActivationSupportsImageWithMaxCount")
        try scene.write(Array(changed.utf8), to: "\(Scene.part)/Info.plist")
        try scene.install()
        let offers = try await scene.host.extensions(for: text)
        #expect(offers.offered.isEmpty && offers.others.map(\.installed.summary) == ["Makes pictures loud."])
    }

    @Test(arguments: Door.allCases) func `P6: a translation with control characters is not shown`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        try scene.translate("de", "CFBundleDisplayName = \"\\U001B[31mLaut\";")
        try scene.translate("fr", "CFBundleDisplayName = \"\\U202EtuaH\";")
        try scene.install()
        for language in ["de", "fr"] {
            scene.host.languages = [language]
            #expect(await scene.host.extensions().map(\.displayName) == ["Shout — Loud"])
        }
    }

    @Test func `P6: annex list shows names in the languages of its user`() async throws {
        let scene = try await Scene(.connected)
        let folder = try TemporaryFolder()
        try scene.add("<key>NSHumanReadableDescription</key><string>Makes texts loud.</string>")
        try scene.translate("de", "CFBundleDisplayName = \"Shout — Laut\"; NSHumanReadableDescription = \"Ruft.\";")
        try scene.install()
        func list(_ environment: [String: String], _ more: [String] = []) async throws -> Program {
            try await Program.run(
                "annex", ["list", "--socket", try #require(scene.daemon).socket] + more, in: folder,
                environment: ["LANG": "", "LC_MESSAGES": "", "LANGUAGE": ""].merging(environment) { $1 })
        }
        let german = try await list(["LC_ALL": "", "LANGUAGE": "de"])
        #expect(german.status == 0 && german.output.hasSuffix("  Shout — Laut\n"), "\(german)")
        #expect(try await list(["LC_ALL": "de_CH.UTF-8"]).output == german.output)
        #expect(try await list(["LC_ALL": "C"]).output.hasSuffix("  Shout — Loud\n"))
        let json = try await list(["LC_ALL": "de_CH.UTF-8"], ["--json"]).output
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: Any]]]
        let one = try #require(object?["extensions"]?.first)
        #expect(one["displayName"] as? String == "Shout — Laut" && one["summary"] as? String == "Ruft.", "\(json)")
    }

    @Test(arguments: Door.allCases, [100, 128 << 10, 300_000, 1 << 20])
    func `P6: an icon comes in memory that nothing can change`(door: Door, length: Int) async throws {
        let scene = try await Scene(door)
        let picture = Self.png(length: length)
        try scene.addIcon(picture)
        try scene.install()
        let icon = try await scene.presentIcon()
        #expect(icon.width == 64 && icon.height == 32 && icon.type == .png && icon.byteCount == length)
        let isTemplate = icon.isTemplate
        #expect(isTemplate, "an action shows the icon of its app in one colour")
        #expect(try icon.file.seals().isSuperset(of: .immutable))
        try scene.write(Self.png(width: 16, length: length, seed: 9), to: "Icon.png", of: scene.installed)
        #expect(try icon.bytes() == picture)
        let next = try await scene.presentIcon()
        let bytes = try next.bytes()
        #expect(next.width == 16 && bytes != picture)
    }

    @Test(arguments: Door.allCases) func `P6: an extension of another point may have an icon of its own`(
        door: Door
    ) async throws {
        for (point, width) in [("com.apple.photo-editing", 16), ("com.apple.share-services", 64)] {
            let scene = try await Scene(door, point: point)
            try scene.addIcon(Self.png())
            try scene.write(Self.png(width: 16), to: "\(Scene.part)/Own.png")
            try scene.add("<key>CFBundleIconFile</key><string>Own</string>")
            try scene.install()
            let icon = try await scene.presentIcon()
            #expect(icon.width == width && !icon.isTemplate, "\(point)")
        }
    }

    @Test(arguments: Door.allCases) func `P6: an icon that was changed into a bad one is refused`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        try scene.addIcon(Self.png())
        try scene.install()
        #expect(try scene.iconError() == nil)
        let bad: [(bytes: [UInt8], word: String)] = [
            (Self.png(width: 1 << 31), "pixels"), (Self.png(height: 1 << 31), "pixels"),
            (Self.png(width: 0), "pixels"), (Self.png(length: 1 << 20 | 1), "bytes"),
            (Array("<svg/>".utf8), "PNG"), ([], "PNG"),
        ]
        for (bytes, word) in bad {
            try scene.write(bytes, to: "Icon.png", of: scene.installed)
            let error = try #require(try scene.iconError())
            #expect(error.code == .invalidBundle && error.place == SubstituteApp.identifier, "\(error)")
            #expect("\(error)".contains("Icon.png") && "\(error)".contains("P6") && error.remedy != nil, "\(error)")
            #expect("\(error)".contains(word), "\(error)")
        }
        let icon = "\(try scene.installed)/Icon.png"
        try FileManager.default.removeItem(atPath: icon)
        #expect(try scene.iconError()?.what.contains("missing") == true)
        try FileManager.default.createSymbolicLink(atPath: icon, withDestinationPath: "/etc/passwd")
        #expect(try scene.iconError()?.code == .invalidBundle)
        try FileManager.default.removeItem(atPath: icon)
        try FileManager.default.createDirectory(atPath: icon, withIntermediateDirectories: false)
        #expect(try scene.iconError()?.code == .invalidBundle)
        #expect(await scene.host.extensions().count == 1, "the extension stays")
    }

    @Test(arguments: Door.allCases) func `P6: without an icon there is none, and only installed extensions have one`(
        door: Door
    ) async throws {
        let scene = try await Scene(door)
        #expect(try scene.iconError()?.code == .unknownExtension)
        try scene.install()
        let hasIcon = try await scene.icon() != nil
        #expect(!hasIcon)
        try await scene.host.setEnabled(false, for: SubstituteApp.identifier)
        #expect(try scene.iconError() == nil, "a settings screen shows extensions that are off")
        try await scene.host.remove(app: "com.example.shout")
        #expect(try scene.iconError()?.code == .unknownExtension)
    }

    @Test(arguments: Door.allCases) func `A4: a host gets all attributes of an extension`(door: Door) async throws {
        let scene = try await Scene(door)
        let own = "<key>NSExtensionAttributes</key>\n\t\t<dict>"
        let more = "<key>Own</key><array><integer>-7</integer><real>0.5</real><data>AQI=</data></array>"
        let info = "\(Scene.part)/Info.plist"
        let text = try String(contentsOfFile: "\(scene.app.path)/\(info)", encoding: .utf8)
        try scene.write(Array(text.replacing(own, with: own + more).utf8), to: info)
        try scene.install()
        let attributes = try await scene.host.attributes(of: SubstituteApp.identifier)
        #expect(attributes["Own"] == [-7, 0.5, .data([1, 2])])
        #expect(attributes["NSExtensionActivationRule"]?.dictionary?["NSExtensionActivationSupportsText"] == true)
        #expect(attributes.count == 2)
        try scene.write(Array(text.utf8), to: info, of: scene.installed)
        let error = try #require(throws: BrokerError.self) {
            try scene.host.attributesAndWait(of: SubstituteApp.identifier)
        }
        #expect(error.code == .invalidBundle && error.what.contains("has changed"), "\(error)")
    }

    @Test(arguments: Door.allCases) func `A3: a host knows the types that installed apps declare`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let sketch = TypeIdentifier(rawValue: "com.example.sketch")
        let keys = """
            <key>UTExportedTypeDeclarations</key><array><dict><key>UTTypeIdentifier</key><string>com.example.sketch</string>
            <key>UTTypeConformsTo</key><string>public.image</string><key>UTTypeTagSpecification</key>
            <dict><key>public.filename-extension</key><array><string>sketch</string><string>png</string></array></dict>
            </dict></array>
            """
        try scene.add(keys, to: "")
        #expect(try await !scene.host.types().conforms(sketch, to: .image))
        try scene.install()
        let types = try await scene.host.types()
        #expect(types.conforms(sketch, to: .image) && types.type(ofFile: "a.sketch") == sketch)
        #expect(types.type(ofFile: "a.png") == .png, "an app cannot take over a type of the system")
        try await scene.host.remove(app: "com.example.shout")
        #expect(try await scene.host.types().type(ofFile: "a.sketch") == nil)
    }

    @Test(arguments: Door.allCases) func `A4: attributes that no packet can carry are refused alike`(door: Door)
        async throws
    {
        let scene = try await Scene(door)
        let own = "<key>NSExtensionAttributes</key>\n\t\t<dict>"
        let deep = String(repeating: "<array>", count: 45) + String(repeating: "</array>", count: 45)
        let info = "\(Scene.part)/Info.plist"
        let text = try String(contentsOfFile: "\(scene.app.path)/\(info)", encoding: .utf8)
        try scene.write(Array(text.replacing(own, with: own + "<key>Deep</key>" + deep).utf8), to: info)
        try scene.install()
        let error = try #require(throws: BrokerError.self) {
            try scene.host.attributesAndWait(of: SubstituteApp.identifier)
        }
        #expect(error.code == .invalidBundle && error.remedy != nil, "\(error)")
        #expect(await scene.host.extensions().count == 1)
    }
}
