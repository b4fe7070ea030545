public import Foundation

/// A copy of an example's app that runs another program in place of its extension.
public final class SubstituteApp: Sendable {
    /// The extension's identifier. Its point is `com.apple.ui-services`.
    public static let identifier = "com.example.shout.loud"

    private let folder: TemporaryFolder

    /// - Parameter conduct: the conduct of a fixture, or an executable product that was built with the tests.
    public convenience init(running conduct: String) throws {
        try self.init { try Fixtures.copy(conduct, to: $0) }
    }

    /// - Parameter program: any executable.
    public convenience init(running program: URL) throws {
        try self.init { try FileManager.default.copyProgram(at: program, to: $0) }
    }

    private init(copyingProgram copy: (URL) throws -> Void) throws {
        folder = try TemporaryFolder()
        let app = folder.url.appending(path: "Shout.app")
        try FileManager.default.copyApp(at: URL(filePath: try ExampleBundles.path(of: "Shout.app")), to: app)
        let executable = app.appending(path: "PlugIns/Loud.appex/Loud")
        try FileManager.default.removeItem(at: executable)
        try copy(executable)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: executable.path)
    }

    /// Replaces the program of the app itself.
    public func setProgram(_ conduct: String) throws {
        let program = folder.url.appending(path: "Shout.app/Shout")
        try FileManager.default.removeItem(at: program)
        try Fixtures.copy(conduct, to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    /// Sets another extension point in the extension's `Info.plist`.
    public func setPoint(_ point: String) throws {
        let info = folder.url.appending(path: "Shout.app/PlugIns/Loud.appex/Info.plist")
        let text = try String(contentsOf: info, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "com.apple.ui-services", with: point).utf8).write(to: info)
    }

    /// Lets a lock screen show the extension, which is a widget.
    public func showOnLockScreen() throws {
        let info = folder.url.appending(path: "Shout.app/PlugIns/Loud.appex/Info.plist")
        let parts = try String(contentsOf: info, encoding: .utf8).components(
            separatedBy: "<key>NSExtensionAttributes</key>")
        let rest = parts[1].drop { $0 != ">" }.dropFirst()
        let text = parts[0] + "<key>NSExtensionAttributes</key><dict><key>AnnexShowsOnLockScreen</key><true/>" + rest
        try Data(text.utf8).write(to: info)
    }

    /// Sets the entitlements that the extension asks for.
    public func setEntitlements(_ names: [String]) throws {
        try writeEntitlements(
            names.map { "<key>\($0)</key><true/>" }.joined(), to: "PlugIns/Loud.appex/Loud.entitlements")
    }

    /// Sets the app groups of the extension and of its app.
    /// - Parameter names: further entitlements that the extension asks for.
    public func setGroups(_ groups: [String], ofApp own: [String], besides names: [String] = []) throws {
        func list(_ groups: [String]) -> String {
            "<key>com.apple.security.application-groups</key><array>"
                + groups.map { "<string>\($0)</string>" }.joined() + "</array>"
        }
        let further = names.map { "<key>\($0)</key><true/>" }.joined()
        try writeEntitlements(list(groups) + further, to: "PlugIns/Loud.appex/Loud.entitlements")
        try writeEntitlements(list(own), to: "Shout.entitlements")
    }

    private func writeEntitlements(_ values: String, to name: String) throws {
        let text = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(values)</dict></plist>"
        let file = folder.url.appending(path: "Shout.app/" + name)
        try Data(text.utf8).write(to: file)
        // The file modes are part of the rules, so they must not depend on the umask of the tests.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }

    /// Gives the app and its extension other identifiers, so that two substitute apps can be installed at the same
    /// time.
    public func setIdentifier(_ app: String) throws {
        for name in ["Info.plist", "PlugIns/Loud.appex/Info.plist"] {
            let info = folder.url.appending(path: "Shout.app/" + name)
            let text = try String(contentsOf: info, encoding: .utf8)
            try Data(text.replacingOccurrences(of: "com.example.shout", with: app).utf8).write(to: info)
        }
    }

    /// Registers URL schemes for the app.
    public func setSchemes(_ schemes: [String]) throws {
        let info = folder.url.appending(path: "Shout.app/Info.plist")
        let text = try String(contentsOf: info, encoding: .utf8)
        let list = schemes.map { "<string>\($0)</string>" }.joined()
        let key =
            "<key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key><array>\(list)</array></dict></array>"
        let end = text.range(of: "</dict>", options: .backwards)
        guard let end else { throw CocoaError(.propertyListReadCorrupt) }
        try Data(text.replacingCharacters(in: end, with: key + "</dict>").utf8).write(to: info)
    }

    public var path: String { folder.url.appending(path: "Shout.app").path }
}
