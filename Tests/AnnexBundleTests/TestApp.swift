import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// A containing app with one extension in a temporary directory. The app is valid at first. Then a test breaks one
/// thing.
final class TestApp {
    let path: String
    var extensionPath: String { "\(path)/PlugIns/Editor.appex" }

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "annex-\(UUID().uuidString)/Pictures.app").path
        // The file modes are part of the rules, so they must not depend on the umask of the tests.
        try FileManager.default.createDirectory(
            atPath: extensionPath, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try write(Self.appInfo, to: "Info.plist")
        try write(Self.extensionInfo, to: "PlugIns/Editor.appex/Info.plist")
        try writeProgram("Pictures")
        try writeProgram("PlugIns/Editor.appex/Editor")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: (path as NSString).deletingLastPathComponent)
    }

    static let appInfo = plist(
        """
        <key>CFBundleIdentifier</key><string>com.example.pictures</string>
        <key>CFBundleName</key><string>Pictures</string>
        <key>CFBundleExecutable</key><string>Pictures</string>
        """)

    static let extensionInfo = plist(
        """
        <key>CFBundleIdentifier</key><string>com.example.pictures.editor</string>
        <key>CFBundleExecutable</key><string>Editor</string>
        <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.photo-editing</string>
            <key>NSExtensionPrincipalClass</key><string>Editor</string>
            <key>NSExtensionAttributes</key><dict>
                <key>PHSupportedMediaTypes</key><array><string>Image</string></array>
                <key>Unknown</key><integer>-7</integer>
            </dict>
        </dict>
        """)

    static func plist(_ entries: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>\(entries)</dict></plist>
        """
    }

    func write(_ text: String, to file: String) throws {
        try write(Array(text.utf8), to: file)
    }

    func write(_ bytes: [UInt8], to file: String) throws {
        let isNew = !FileManager.default.fileExists(atPath: "\(path)/\(file)")
        try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"))
        if isNew { chmod("\(path)/\(file)", 0o644) }
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(path)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    /// Changes a text in the property list of the app or, by default, of the extension.
    func replace(_ text: String, with other: String, in file: String = "PlugIns/Editor.appex/Info.plist") throws {
        let old = try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
        try #require(old.contains(text))
        try write(old.replacingOccurrences(of: text, with: other), to: file)
    }

    /// Adds keys to the property list of the app or, by default, of the extension.
    func add(_ entries: String, to file: String = "PlugIns/Editor.appex/Info.plist") throws {
        try replace("</dict></plist>", with: "\(entries)</dict></plist>", in: file)
    }

    /// Writes the header of a program for this machine, or for another machine.
    func writeProgram(_ file: String, class elfClass: UInt8 = 2, machine: UInt8? = nil) throws {
        try StaticProgram.header(class: elfClass, machine: machine).write(to: URL(filePath: "\(path)/\(file)"))
        chmod("\(path)/\(file)", 0o755)
    }

    /// The first rule that the app or its extension breaks.
    func rejection() throws -> BundleError {
        let app: AppBundle
        do throws(BundleError) {
            app = try AppBundle.open(path)
        } catch {
            return error
        }
        return try #require(app.rejected.first?.error)
    }

    /// The findings of the validation, each as its severity, rule, file and key in one line.
    func findings(_ severity: BundleFinding.Severity? = nil) -> [String] {
        BundleValidation(app: path).findings.filter { severity == nil || $0.severity == severity }.map {
            "\($0.severity.rawValue) \($0.fault.rule.rawValue) \($0.fault.place)"
        }
    }

    /// The finding that a test caused, among the findings of a valid app.
    func finding(about file: String, key: String? = nil, saying word: String = "") -> BundleFinding? {
        BundleValidation(app: path).findings.first {
            $0.fault.file == "Pictures.app/\(file)" && (key == nil || $0.fault.key == key)
                && (word.isEmpty || $0.fault.what.contains(word))
        }
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(file)")
    }
}
