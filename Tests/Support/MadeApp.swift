import Foundation

/// An app that a test makes, with extensions that do nothing.
public final class MadeApp: Sendable {
    private let folder: TemporaryFolder
    public let identifier: String

    /// - Parameter extensions: the identifiers of its extensions.
    public init(_ identifier: String, carrying extensions: [String] = []) throws {
        folder = try TemporaryFolder()
        self.identifier = identifier
        try Self.make(folder.url.appending(path: "App.app"), identifier)
        for (number, name) in extensions.enumerated() {
            try Self.make(
                folder.url.appending(path: "App.app/PlugIns/Part\(number).appex"), name,
                """
                <key>NSExtension</key><dict>
                <key>NSExtensionPointIdentifier</key><string>com.apple.ui-services</string>
                <key>NSExtensionPrincipalClass</key><string>Part</string></dict>
                """)
        }
    }

    public var path: String { folder.url.appending(path: "App.app").path }

    /// Sets a version of the app.
    public func setVersion(_ version: String) throws {
        let info = URL(filePath: path + "/Info.plist")
        let text = try String(contentsOf: info, encoding: .utf8)
        let key = "<key>CFBundleVersion</key><string>\(version)</string>"
        try Data(text.replacing("<key>CFBundleName</key>", with: key + "<key>CFBundleName</key>").utf8).write(to: info)
    }

    /// Sets another extension point.
    public func setPoint(_ point: String, ofPart number: Int = 0) throws {
        let info = URL(filePath: path + "/PlugIns/Part\(number).appex/Info.plist")
        let text = try String(contentsOf: info, encoding: .utf8)
        try Data(text.replacing("com.apple.ui-services", with: point).utf8).write(to: info)
    }

    /// Sets the entitlements that an extension asks for, each with the value true.
    public func setEntitlements(_ names: [String], ofPart number: Int = 0) throws {
        let values = names.map { "<key>\($0)</key><true/>" }.joined()
        let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(values)</dict></plist>"
        let file = path + "/PlugIns/Part\(number).appex/Program.entitlements"
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    }

    private static func make(_ place: URL, _ identifier: String, _ more: String = "") throws {
        // The file modes are part of the rules, so they must not depend on the umask of the tests.
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let program = place.appending(path: "Program").path
        try StaticProgram.header().write(to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(identifier)</string>
            <key>CFBundleName</key><string>App</string>
            <key>CFBundleExecutable</key><string>Program</string>\(more)
            </dict></plist>
            """
        let info = place.appending(path: "Info.plist")
        try Data(text.utf8).write(to: info)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: info.path)
    }
}
