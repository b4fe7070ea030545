import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// An app with one extension, a resource and a link, and the keys of two teams.
final class SigningFixture {
    let app: MadeApp
    let keys: TemporaryFolder
    var path: String { app.path }
    let sealPath = "_CodeSignature/Seal"

    init(version: String? = "1.0.3") throws {
        app = try MadeApp("com.example.signed", carrying: ["com.example.signed.part"])
        keys = try TemporaryFolder()
        try write("resource", to: "PlugIns/Part0.appex/data.txt")
        symlink("Info.plist", "\(path)/link")
        if let version { try setVersion(version) }
        for name in ["ours", "theirs"] { try TeamKey(named: "Team \(name)").write(to: keyPath(name)) }
    }

    func keyPath(_ name: String) -> String { keys.url.appending(path: name).path }

    func setVersion(_ version: String) throws {
        let info = "\(path)/Info.plist"
        let text = try String(contentsOfFile: info, encoding: .utf8)
        let head = text.replacing(/<key>CFBundleVersion<\/key><string>[^<]*<\/string>/, with: "")
        try write(
            head.replacingOccurrences(
                of: "<key>CFBundleName</key>",
                with: "<key>CFBundleVersion</key><string>\(version)</string><key>CFBundleName</key>"), to: "Info.plist")
    }

    func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(file)"))
        chmod("\(path)/\(file)", 0o644)
    }

    @discardableResult
    func sign(by name: String = "ours") throws -> SealedApp {
        try AppSigner.sign(app: path, with: TeamKey(readingFrom: keyPath(name)))
    }

    func check() throws(SigningError) -> SealedApp { try SealedApp.check(appAt: path) }

    /// The error of a check that must fail.
    func rejection() throws -> SigningError {
        try #require(throws: SigningError.self) { _ = try check() }
    }

    /// The differences that a check finds, as `path kind`.
    func differences() throws -> [String] {
        try rejection().differences.map { "\($0.path.shown) \($0.kind.rawValue)" }
    }

    func seal() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: "\(path)/\(sealPath)"))) }

    func putSeal(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: "\(path)/\(sealPath)")) }
}
