import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// A containing app with one extension in a temporary directory, valid at first; a test then breaks one thing.
final class TestApp {
    let path: String
    var extensionPath: String { "\(path)/PlugIns/Editor.appex" }

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "annex-\(UUID().uuidString)/Pictures.app").path
        try FileManager.default.createDirectory(atPath: extensionPath, withIntermediateDirectories: true)
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
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(file)"))
    }

    /// The header of a program for this machine, or for another.
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

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(file)")
    }
}
