import Foundation
import PackagePlugin

/// `swift package bundle-app`: builds the programs of an app, links its extensions as static executables, and makes
/// the app of them.
///
/// The plugin gives the linker flags that an extension needs. So the package's manifest needs no linker flags. In a
/// manifest, these flags would be unsafe flags.
@main
struct BundleApp: CommandPlugin {
    private static let help = """
        USAGE: swift package --allow-writing-to-package-directory bundle-app [LAYOUT …] [options]

        Makes an app in the package's folder for each layout: a folder that holds the app without its programs. A relative
        path starts in the package's folder. Without LAYOUT, each folder Bundles/*.app of the package is one. An app that
        is there already is replaced.

          --program NAME=PRODUCT   the product for a bundle, such as Loud.appex, if it is not called like CFBundleExecutable
          --set NAME=VALUE         a build setting; Name.appex:NAME=VALUE for one extension only
          --points FOLDER          a folder of extension points of your own, for the checks; Points if the package has it
          -c debug|release         the configuration of the build; release without this option
          -Xswiftc FLAG            a flag for the compiler
        """

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        if arguments.contains("--help") || arguments.contains("-h") { return print(Self.help) }
        let options = try Options(arguments)
        let root = context.package.directoryURL
        let layouts =
            options.layouts.isEmpty
            ? try Self.layouts(in: root) : options.layouts.map { URL(filePath: $0, relativeTo: root).absoluteURL }
        guard !layouts.isEmpty else { throw Failure("there is no layout Bundles/NAME.app\n\(Self.help)") }
        // The tool is built like the programs of the app, so that what both import is compiled once.
        guard let tool = try PluginBuild.program("MakeBundle", options: options, with: packageManager) else {
            throw Failure("the tool MakeBundle is no executable")
        }
        for layout in layouts {
            let made = PluginBuild(
                layout: layout, root: root, work: context.pluginWorkDirectoryURL, tool: tool, options: options)
            try made.run(with: packageManager)
        }
    }

    private static func layouts(in root: URL) throws -> [URL] {
        let folder = root.appending(path: "Bundles")
        let found = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return found.filter { $0.pathExtension == "app" }.sorted { $0.path < $1.path }
    }
}

/// Why no app was made.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The options of the command line.
struct Options {
    private(set) var layouts: [String] = []
    /// Products by the name of their bundle's directory.
    private(set) var products: [String: String] = [:]
    private(set) var settings: [String: String] = [:]
    private(set) var ownSettings: [String: [String: String]] = [:]
    private(set) var configuration = PackageManager.BuildConfiguration.release
    private(set) var compilerFlags: [String] = []
    /// The folder of the package's own extension points, as the command line names it.
    private(set) var points: String?

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(option) needs a value") }
            return value
        }
        func pair(of option: String) throws -> (String, String) {
            let text = try value(of: option)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { throw Failure("\(option) \(text): write NAME=VALUE") }
            return (parts[0], parts[1])
        }
        while let word = rest.popFirst() {
            switch word {
            case "--program":
                let (name, product) = try pair(of: word)
                products[name] = product
            case "--set":
                let (name, value) = try pair(of: word)
                add(value, to: name)
            case "-c", "--configuration": configuration = try Self.configuration(try value(of: word))
            case "--points": points = try value(of: word)
            case "-Xswiftc": compilerFlags.append(try value(of: word))
            case _ where word.hasPrefix("-"): throw Failure("unknown option \(word); try --help")
            default: layouts.append(word)
            }
        }
    }

    private static func configuration(_ name: String) throws -> PackageManager.BuildConfiguration {
        guard let found = PackageManager.BuildConfiguration(rawValue: name) else {
            throw Failure("unknown configuration \(name): write debug or release")
        }
        return found
    }

    private mutating func add(_ value: String, to name: String) {
        let parts = name.split(separator: ":", maxSplits: 1).map(String.init)
        if parts.count == 2 { ownSettings[parts[0], default: [:]][parts[1]] = value } else { settings[name] = value }
    }
}
