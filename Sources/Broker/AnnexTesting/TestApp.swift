internal import AnnexBundle
internal import AnnexBundling
internal import AnnexLinux
internal import Glibc

/// An app that is made for one test. It consists of a layout and of the programs that the package has just built.
///
/// ```swift
/// let app = try TestApp(layout: "Bundles/Words.app")
/// let host = try AnnexHost.testing(app)
/// let session = try await host.begin("com.example.words.count")
/// ```
///
/// The layout is the folder that `annex bundle` reads: `Info.plist`, `PlugIns/*.appex/Info.plist` and resources, with
/// build settings such as `$(PRODUCT_NAME)`. The app lies in a temporary folder, which is removed when this object is
/// released.
public final class TestApp: Sendable {
    /// The path of `Name.app`.
    public let path: String
    private let folder: String

    /// - Parameters:
    ///   - layout: the app's layout. Its name, `Name.app`, is the name of the app.
    ///   - programs: the folder with the built programs. If it is nil, the folder of the running test is used.
    ///   - files: the names of programs whose name differs from their bundle's `CFBundleExecutable`. The key is the
    ///     bundle's directory, for example `["Loud.appex": "Shout"]`.
    ///   - settings: the build settings for the layout, by their names.
    /// - Throws: a `TestAppError` if a part is missing or the app breaks a rule of packaging. The error lists every
    ///   finding.
    public init(
        layout: String, programs: String? = nil, files: [String: String] = [:], settings: [String: String] = [:]
    ) throws(TestAppError) {
        folder = try Self.makeFolder()
        path = folder + "/" + (layout.split(separator: "/").last.map(String.init) ?? "")
        do throws(TestAppError) {
            let programs = if let programs { programs } else { try Self.products() }
            var recipe = BundleRecipe(folder: layout, programs: ["": programs])
            recipe.files = files.mapValues { "\(programs)/\($0)" }
            recipe.settings = settings
            try Self.make(path, of: recipe)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    private static func make(_ path: String, of recipe: BundleRecipe) throws(TestAppError) {
        let findings: [BundleFinding]
        do throws(BundlingError) {
            findings = try BundleMaker(recipe).make(path).findings
        } catch {
            throw TestAppError(description: "\(error)")
        }
        let errors = findings.filter { $0.severity == .error }
        if errors.isEmpty { return }
        throw TestAppError(description: errors.map(\.description).joined(separator: "\n"))
    }

    deinit { Self.remove(folder) }

    /// The folder of the test's own program, where the package manager puts all programs of the package.
    private static func products() throws(TestAppError) -> String {
        do throws(SystemError) {
            let path = try Descriptor.directory("/proc/self").linkTarget("exe")
            return path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        } catch {
            throw TestAppError(description: "the folder of built programs: \(error)")
        }
    }

    private static func makeFolder() throws(TestAppError) -> String {
        let place = getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        let name = "\(place)/annex-test-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        do throws(SystemError) {
            try Descriptor.makeDirectories(name, mode: 0o755)
        } catch {
            throw TestAppError(description: "\(error)")
        }
        return name
    }

    private static func remove(_ folder: String) {
        guard let slash = folder.lastIndex(of: "/") else { return }
        // If a folder cannot be removed, it stays in the folder for temporary files.
        try? Descriptor.directory(String(folder[..<slash])).removeTree(String(folder[folder.index(after: slash)...]))
    }
}

/// The reason why a test's app could not be made.
public struct TestAppError: Error, CustomStringConvertible {
    /// The findings, one in each line. Each line has the fault, its place and the remedy.
    public let description: String
}
