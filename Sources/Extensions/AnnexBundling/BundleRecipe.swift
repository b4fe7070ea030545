internal import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// The parts from which an app is made: a folder with its layout, the built programs, and the settings of the build.
///
/// The layout is the app without its programs: `Info.plist`, `PlugIns/*.appex/Info.plist`, resources, translations and
/// entitlements.
package struct BundleRecipe: Sendable, Hashable {
    /// The folder with the layout.
    package var folder: String
    /// The folders with the built programs. The key is the processor's directory in a bundle. The empty key stands for
    /// the bundle's own directory.
    package var programs: [String: String]
    /// The directories for processors in a bundle.
    static let processors = ["x86_64", "aarch64"]
    /// The paths of single programs. The key is the name of the bundle's directory, such as `Loud.appex`. For a
    /// bundle that is listed here, the folders in `programs` are not used.
    package var files: [String: String]
    /// The settings of the build.
    package var settings: [String: String]
    /// Settings for only one bundle. The key is the name of the bundle's directory.
    package var ownSettings: [String: [String: String]]

    package init(folder: String, programs: [String: String] = [:]) {
        self.folder = folder
        self.programs = programs
        files = [:]
        settings = [:]
        ownSettings = [:]
    }

    /// Adds `NAME=VALUE`, or `Name.appex:NAME=VALUE` for one bundle only.
    /// - Returns: whether the text has this form.
    package mutating func set(_ text: String) -> Bool {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return false }
        let value = String(text[text.index(after: equals)...])
        let name = text[..<equals].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = name.first, let last = name.last, !first.isEmpty, !last.isEmpty else { return false }
        if name.count == 1 {
            settings[String(last)] = value
        } else {
            ownSettings[String(first), default: [:]][String(last)] = value
        }
        return true
    }
}

extension BundleRecipe {
    /// Reads a file of settings: a property list with the keys `Folder`, `Programs`, `ProgramFiles`, `Settings` and
    /// `BundleSettings`. Paths in it are relative to the file's folder.
    package init(file path: String) throws(BundlingError) {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try Descriptor.open(path, O_RDONLY).readAll(atMost: PropertyListLimits.info.bytes)
        } catch {
            throw BundlingError(error, place: path, code: .settings)
        }
        let reader = RecipeReader(try RecipeReader.values(bytes, place: path), place: path)
        self.init(folder: try reader.path("Folder"), programs: try reader.programs())
        files = try reader.texts("ProgramFiles").mapValues(reader.resolved)
        settings = try reader.texts("Settings")
        ownSettings = try reader.nested("BundleSettings")
        try reader.checkNames(["Folder", "Programs", "ProgramFiles", "Settings", "BundleSettings"])
    }
}

/// Reads the values of a file of settings.
private struct RecipeReader {
    private let values: [String: PropertyListValue]
    private let place: String

    init(_ values: [String: PropertyListValue], place: String) {
        self.values = values
        self.place = place
    }

    static func values(_ bytes: [UInt8], place: String) throws(BundlingError) -> [String: PropertyListValue] {
        do throws(PropertyListFailure) {
            if let values = try PropertyListValue(bytes, within: .info).dictionary { return values }
        } catch {
            throw BundlingError(.settings, place: place, what: "is not a property list: \(error)")
        }
        throw BundlingError(.settings, place: place, what: "is not a dictionary")
    }

    func path(_ key: String) throws(BundlingError) -> String {
        guard let text = values[key]?.string, !text.isEmpty else {
            throw fault(key, what: "is missing or not a string", remedy: "name the folder with the layout")
        }
        return resolved(text)
    }

    /// Turns a path that is relative to the file's folder into a path that is relative to the current folder.
    func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = place.lastIndex(of: "/") else { return path }
        return place[...slash] + path
    }

    func programs() throws(BundlingError) -> [String: String] {
        if let folder = values["Programs"]?.string { return ["": resolved(folder)] }
        return try texts("Programs").mapValues(resolved)
    }

    func texts(_ key: String) throws(BundlingError) -> [String: String] {
        try texts(values[key] ?? .dictionary([:]), key: key)
    }

    func nested(_ key: String) throws(BundlingError) -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        guard let found = (values[key] ?? .dictionary([:])).dictionary else {
            throw fault(key, what: "is not a dictionary", remedy: "make it a dictionary by the names of bundles")
        }
        for (name, value) in found { result[name] = try texts(value, key: "\(key).\(name)") }
        return result
    }

    private func texts(_ value: PropertyListValue, key: String) throws(BundlingError) -> [String: String] {
        let remedy = "make it a dictionary of strings"
        guard let found = value.dictionary else { throw fault(key, what: "is \(value.kind)", remedy: remedy) }
        var texts: [String: String] = [:]
        for (name, value) in found {
            guard let text = value.string else {
                throw fault("\(key).\(name)", what: "is \(value.kind)", remedy: remedy)
            }
            texts[name] = text
        }
        return texts
    }

    func checkNames(_ known: Set<String>) throws(BundlingError) {
        guard let name = values.keys.filter({ !known.contains($0) }).min() else { return }
        throw fault(name, what: "is an unknown key", remedy: "the keys are \(known.sorted().joined(separator: ", "))")
    }

    private func fault(_ key: String, what: String, remedy: String) -> BundlingError {
        BundlingError(.settings, place: "\(place): \(key)", what: what, remedy: remedy)
    }
}
