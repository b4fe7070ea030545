import Foundation
import PackagePlugin

/// Builds the programs of one app, and makes the app.
struct PluginBuild {
    let layout: URL
    let root: URL
    /// The plugin's own folder.
    let work: URL
    let tool: URL
    let options: Options

    private var name: String { layout.deletingPathExtension().lastPathComponent + ".app" }

    /// The folder of the package's own extension points; nil if it has none. With it, an extension for such a point
    /// causes no warning.
    private var points: URL? {
        if let named = options.points { return URL(filePath: named, relativeTo: root).absoluteURL }
        let usual = root.appending(path: "Points")
        return FileManager.default.fileExists(atPath: usual.path) ? usual : nil
    }

    func run(with manager: PackageManager) throws {
        let list = try runTool("executables", settings: writtenSettings(programs: [:]))
        var programs: [String: String] = [:]
        var bundles: Set<String> = []
        for line in list.split(separator: "\n") {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard columns.count == 2 else { continue }
            let bundle = columns[0].isEmpty ? name : (columns[0] as NSString).lastPathComponent
            bundles.insert(bundle)
            programs[bundle] = try built(
                options.products[bundle] ?? columns[1], for: bundle, isExtension: !columns[0].isEmpty, with: manager)
        }
        if let stranger = Set(options.products.keys).subtracting(bundles).min() {
            throw Failure(
                "--program \(stranger): is no bundle of \(name), which has \(bundles.sorted().joined(separator: ", "))")
        }
        print(try runTool("make", settings: writtenSettings(programs: programs), points: points), terminator: "")
    }

    /// Builds one program, and returns the path of a copy of it. The copy is needed because the next build of the
    /// same product may link the product in another way.
    private func built(
        _ product: String, for bundle: String, isExtension: Bool, with manager: PackageManager
    ) throws -> String {
        print("building \(product) for \(bundle)")
        let flags = isExtension ? ["@\(try staticLinking().path)"] : []
        let program = try Self.program(product, linkedWith: flags, options: options, with: manager)
        guard let program else {
            throw Failure("\(product) is no executable product; name another with --program \(bundle)=PRODUCT")
        }
        let copy = work.appending(path: "\(bundle)-program")
        try? FileManager.default.removeItem(at: copy)
        try FileManager.default.copyItem(at: program, to: copy)
        return copy.path
    }

    /// Builds a product.
    /// - Returns: nil if the product is no executable.
    static func program(
        _ product: String, linkedWith flags: [String] = [], options: Options, with manager: PackageManager
    ) throws -> URL? {
        var parameters = PackageManager.BuildParameters(configuration: options.configuration, logging: .concise)
        parameters.otherSwiftcFlags = options.compilerFlags
        parameters.otherLinkerFlags = flags
        let result = try manager.build(.product(product), parameters: parameters)
        guard result.succeeded else { throw Failure("\(product) was not built:\n\(result.logText)") }
        return result.builtArtifacts.first { $0.kind == .executable && $0.url.lastPathComponent == product }?.url
    }

    /// A response file that makes the compiler driver link a program as a static executable.
    ///
    /// A flag of the linker follows `-Xlinker` on the driver's command line, but `-static-executable` is a flag of
    /// the driver. The driver replaces the name of a response file by the lines of the file before it reads its
    /// options. So the first line belongs to `-Xlinker`, and the second line is an option of the driver. If the
    /// option were given as a flag of the compiler, every module of the package would be compiled again.
    private func staticLinking() throws -> URL {
        let file = work.appending(path: "static-linking")
        try "--as-needed\n-static-executable\n".write(to: file, atomically: true, encoding: .utf8)
        return file
    }

    /// Writes the file of settings for the tool.
    private func writtenSettings(programs: [String: String]) throws -> URL {
        let values: [String: Any] = [
            "Folder": layout.path, "ProgramFiles": programs, "Settings": options.settings,
            "BundleSettings": options.ownSettings,
        ]
        let file = work.appending(path: "\(name).settings")
        try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0).write(to: file)
        return file
    }

    /// Runs the tool, and returns its output.
    private func runTool(_ verb: String, settings: URL, points: URL? = nil) throws -> String {
        let process = Process()
        process.executableURL = tool
        process.arguments = [verb, settings.path, root.appending(path: name).path] + (points.map { [$0.path] } ?? [])
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(text)\(name) was not made, or has errors") }
        return text
    }
}
