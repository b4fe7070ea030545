package import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// Makes an app from a layout, built programs and settings.
///
/// ```swift
/// var recipe = BundleRecipe(folder: "Bundles/Words.app", programs: ["": ".build/release"])
/// let validation = try BundleMaker(recipe).make("Words.app", replacing: true) { points.findings(about: $0) }
/// ```
package struct BundleMaker {
    private let recipe: BundleRecipe

    package init(_ recipe: BundleRecipe) {
        self.recipe = recipe
    }

    /// Makes the app, and validates it.
    ///
    /// - Parameters:
    ///   - path: the new app's directory, `Name.app`.
    ///   - replacing: whether the new app replaces an existing app. If anything fails, the old app stays as it is.
    ///   - check: returns further findings about an extension, for example under the rules of its extension point.
    /// - Returns: the findings of the validation.
    @discardableResult
    package func make(
        _ path: String, replacing: Bool = false, checking check: (ExtensionBundle) -> [BundleFinding] = { _ in [] }
    ) throws(BundlingError) -> BundleValidation {
        let app = try NewApp(at: path, replaces: replacing)
        try app.checkPlace()
        let layout = try openedLayout()
        let parts = try parts(of: layout, named: String(path.split(separator: "/").last ?? ""))
        try app.write { (directory) throws(BundlingError) in
            try LayoutCopy(parts, folder: recipe.folder).copy(layout, into: directory)
            for part in parts { try addPrograms(of: part, to: directory) }
        }
        return BundleValidation(app: path, checking: check)
    }

    /// The names of the programs that the app needs. The key is the path of the bundle's directory beneath the app. For
    /// the app's own program, the key is the empty path.
    package func executables(of path: String) throws(BundlingError) -> [String: String] {
        let name = String(path.split(separator: "/").last ?? "")
        let parts = try parts(of: openedLayout(), named: name)
        return Dictionary(parts.map { ($0.path, $0.executable) }) { first, _ in first }
    }

    private func openedLayout() throws(BundlingError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.directory(recipe.folder)
        } catch {
            throw BundlingError(error, place: recipe.folder, code: .layout)
        }
    }
}

extension BundleMaker {
    private static let plugIns = "PlugIns"
    /// Settings that name one bundle. If the general settings of the recipe have such a setting, its value counts
    /// only for the app. An extension uses the value that the recipe states for this extension, or else a value that
    /// Annex derives.
    private static let ownNames: Set<String> = [
        "PRODUCT_NAME", "TARGET_NAME", "EXECUTABLE_NAME", "PRODUCT_MODULE_NAME", "PRODUCT_BUNDLE_IDENTIFIER",
        "PRODUCT_BUNDLE_PACKAGE_TYPE",
    ]

    /// The app and its extensions, with their property lists filled in.
    private func parts(of layout: borrowing Descriptor, named name: String) throws(BundlingError) -> [BundlePart] {
        let settings = settings(of: name, suffix: ".app", defaults: recipe.settings)
        let app = try part(name, at: "", of: layout, settings: settings)
        let shared = recipe.settings.filter { !Self.ownNames.contains($0.key) }
        var parts = [app]
        for name in try extensionNames(in: layout) {
            var defaults = shared
            if let identifier = app.info.dictionary?["CFBundleIdentifier"]?.string {
                defaults["PRODUCT_BUNDLE_IDENTIFIER"] = "\(identifier).$(PRODUCT_NAME:rfc1034identifier)"
            }
            let settings = self.settings(of: name, suffix: ".appex", defaults: defaults)
            parts.append(try part(name, at: "\(Self.plugIns)/\(name)", of: layout, settings: settings))
        }
        try checkNames(of: parts)
        return parts
    }

    /// Checks the names of bundles and processors in the recipe. An unknown name is a typing error. Without this
    /// check, its setting or program would be ignored.
    private func checkNames(of parts: [BundlePart]) throws(BundlingError) {
        let names = parts.map(\.name)
        let stated = Set(recipe.files.keys).union(recipe.ownSettings.keys)
        if let stranger = stated.subtracting(names).min() {
            throw BundlingError(
                .settings, place: stranger, what: "is no bundle of this app",
                remedy: "the bundles are \(names.joined(separator: ", "))")
        }
        let processors = BundleRecipe.processors
        if let stranger = Set(recipe.programs.keys).subtracting(processors + [""]).min() {
            throw BundlingError(
                .settings, place: stranger, what: "is no processor that Annex runs on",
                remedy: "the processors are \(processors.joined(separator: " and "))")
        }
    }

    /// The settings of one bundle, with the settings that Annex derives from the bundle's name.
    private func settings(of name: String, suffix: String, defaults: [String: String]) -> BuildSettings {
        let product = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        return BuildSettings([
            "PRODUCT_NAME": product, "TARGET_NAME": product, "EXECUTABLE_NAME": "$(PRODUCT_NAME)",
            "PRODUCT_MODULE_NAME": "$(PRODUCT_NAME:c99extidentifier)",
            "PRODUCT_BUNDLE_PACKAGE_TYPE": suffix == ".app" ? "APPL" : "XPC!", "DEVELOPMENT_LANGUAGE": "en",
        ]).merging(defaults).merging(recipe.ownSettings[name] ?? [:])
    }

    private func extensionNames(in layout: borrowing Descriptor) throws(BundlingError) -> [String] {
        do throws(SystemError) {
            return try layout.openBeneath(Self.plugIns, O_RDONLY | O_DIRECTORY).entries(atMost: 1_000)
                .filter(\.isDirectory).compactMap(\.name).filter { $0.hasSuffix(".appex") }.sorted()
        } catch {
            if error.errno == ENOENT { return [] }
            throw BundlingError(error, place: "\(recipe.folder)/\(Self.plugIns)", code: .layout)
        }
    }

    private func part(
        _ name: String, at path: String, of layout: borrowing Descriptor, settings: BuildSettings
    ) throws(BundlingError) -> BundlePart {
        let file = path.isEmpty ? "Info.plist" : "\(path)/Info.plist"
        let shown = "\(recipe.folder)/\(file)"
        let info = Self.completed(
            settings.filled(try Self.propertyList(file, in: layout, shown: shown)), with: settings)
        guard let executable = info.dictionary?["CFBundleExecutable"]?.string, !executable.isEmpty,
            !executable.contains("/"), executable != ".", executable != ".."
        else {
            throw BundlingError(
                .layout, place: "\(shown): CFBundleExecutable", what: "is missing or not a file's name",
                remedy: "name the program")
        }
        guard !executable.contains("$") else {
            throw BundlingError(
                .settings, place: "\(shown): CFBundleExecutable", what: "still holds a build setting: \(executable)",
                remedy: "give the setting with --set NAME=VALUE")
        }
        return BundlePart(name: name, path: path, settings: settings, executable: executable, info: info)
    }

    /// The keys that builds of real apps add to a property list, and their values.
    private static let addedKeys = [
        "CFBundleExecutable": "$(EXECUTABLE_NAME)", "CFBundleIdentifier": "$(PRODUCT_BUNDLE_IDENTIFIER)",
        "CFBundleName": "$(PRODUCT_NAME)", "CFBundlePackageType": "$(PRODUCT_BUNDLE_PACKAGE_TYPE)",
        "CFBundleShortVersionString": "$(MARKETING_VERSION)", "CFBundleVersion": "$(CURRENT_PROJECT_VERSION)",
    ]

    /// The property list, completed with the added keys that it lacks. If the setting of a key has no value, the key
    /// stays missing.
    private static func completed(_ info: PropertyListValue, with settings: BuildSettings) -> PropertyListValue {
        guard var values = info.dictionary else { return info }
        for (key, template) in addedKeys where values[key] == nil {
            let value = settings.filled(template)
            if !value.contains("$") { values[key] = .string(value) }
        }
        return .dictionary(values)
    }

    private static func propertyList(
        _ file: String, in layout: borrowing Descriptor, shown: String
    ) throws(BundlingError) -> PropertyListValue {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try layout.openBeneath(file, O_RDONLY | O_NONBLOCK).readAll(atMost: PropertyListLimits.info.bytes)
        } catch {
            throw BundlingError(error, place: shown, code: .layout)
        }
        do throws(PropertyListFailure) {
            return try PropertyListValue(bytes, within: .info)
        } catch {
            throw BundlingError(.layout, place: shown, what: "is not a property list: \(error)")
        }
    }
}

extension BundleMaker {
    /// Copies the built programs of one bundle. If the recipe names no folder of programs, and no file for this
    /// bundle, the program comes from the layout.
    private func addPrograms(of part: BundlePart, to app: borrowing Descriptor) throws(BundlingError) {
        if let file = recipe.files[part.name] {
            return try add(file, as: part.executable, in: part.path, of: app)
        }
        for (directory, folder) in recipe.programs.sorted(by: { $0.key < $1.key }) {
            let place = [part.path, directory].filter { !$0.isEmpty }.joined(separator: "/")
            try makeDirectory(directory, in: part.path, of: app)
            try add("\(folder)/\(part.executable)", as: part.executable, in: place, of: app)
        }
    }

    private func makeDirectory(_ name: String, in path: String, of app: borrowing Descriptor) throws(BundlingError) {
        guard !name.isEmpty else { return }
        do throws(SystemError) {
            if path.isEmpty { return try app.makeDirectory(name, mode: 0o755) }
            try app.openBeneath(path, O_RDONLY | O_DIRECTORY).makeDirectory(name, mode: 0o755)
        } catch {
            if error.errno != EEXIST { throw BundlingError(error, place: "\(path)/\(name)") }
        }
    }

    private func add(
        _ file: String, as name: String, in path: String, of app: borrowing Descriptor
    ) throws(BundlingError) {
        do throws(SystemError) {
            let program = try Descriptor.open(file, O_RDONLY | O_NONBLOCK)
            guard try program.status().kind == .regular else {
                throw SystemError("open", errno: EISDIR, path: file)
            }
            let directory = try app.openBeneath(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY)
            // The layout may hold an older program of this name.
            try? directory.removeFile(name)
            try FileCopy.copy(program, to: name, in: directory, mode: 0o755)
        } catch {
            let remedy = error.errno == ENOENT ? "build it first, or name its file with --program" : error.remedy
            throw BundlingError(.program, place: file, what: "\(error.cause)", remedy: remedy)
        }
    }
}
