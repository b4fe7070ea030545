internal import AnnexBundle
internal import AnnexLinux
internal import Glibc

/// One bundle while it is being made: the app, or an extension in the app.
struct BundlePart {
    /// The name of the bundle's directory in the layout. The recipe lists the bundle's own settings and programs under
    /// this name.
    let name: String
    /// The bundle's directory beneath the app; empty for the app itself.
    let path: String
    let settings: BuildSettings
    /// `CFBundleExecutable`.
    let executable: String
    /// `Info.plist` with the placeholders filled in.
    let info: PropertyListValue
}

/// Copies the files of a layout into a new app. It fills in property lists and sets new rights: every user may read the
/// files, and only the owner may change them.
struct LayoutCopy {
    private let parts: [String: BundlePart]
    private let folder: String

    private static let mostEntries = 20_000
    private static let deepest = 64
    private static let info = "Info.plist"
    private static let entitlements = ".entitlements"
    /// Files that desktop programs leave in folders. They are not copied.
    private static let unwanted: Set<String> = [".DS_Store"]

    /// - Parameters:
    ///   - parts: the app and its extensions.
    ///   - folder: the layout's path, for errors.
    init(_ parts: [BundlePart], folder: String) {
        self.parts = Dictionary(parts.map { ($0.path, $0) }) { first, _ in first }
        self.folder = folder
    }

    /// Copies everything.
    func copy(_ layout: borrowing Descriptor, into app: borrowing Descriptor) throws(BundlingError) {
        var left = Self.mostEntries
        try copy(layout, into: app, path: "", depth: 0, left: &left)
    }

    private func copy(
        _ source: borrowing Descriptor, into target: borrowing Descriptor, path: String, depth: Int,
        left: inout Int
    ) throws(BundlingError) {
        // If the new app lies in its own layout, the app would be copied into itself without end. The limit on the
        // depth stops this copying.
        guard depth <= Self.deepest else {
            throw BundlingError(
                .layout, place: "\(folder)/\(path)", what: "lies more than \(Self.deepest) folders deep",
                remedy: "flatten the layout, or make the app outside of it")
        }
        let entries = try entries(of: source, path: path, atMost: left)
        try checkEntitlements(entries.compactMap(\.name), in: path)
        for entry in entries {
            left -= 1
            guard let name = entry.name else { throw fault(path, what: "holds a name that is not UTF-8") }
            if Self.unwanted.contains(name) { continue }
            let place = path.isEmpty ? name : "\(path)/\(name)"
            try step(place) { () throws(SystemError) in
                switch entry.kind {
                case .directory: try target.makeDirectory(name, mode: 0o755)
                case .symbolicLink: try target.makeLink(name, to: source.linkTarget(name))
                case .regular:
                    if try !makeText(name, in: path, source: source, target: target) {
                        try FileCopy.copy(name, in: source, to: name, in: target, mode: mode(of: name, in: path))
                    }
                default: throw SystemError("open", errno: EINVAL, path: name, remedy: "remove it from the layout")
                }
            }
            guard entry.kind == .directory else { continue }
            let below = try opened(name, in: source, place: place)
            let made = try opened(name, in: target, place: place)
            try copy(below, into: made, path: place, depth: depth + 1, left: &left)
        }
    }

    /// Checks that a bundle has at most one list of entitlements. The copy of each list is named after the program, so
    /// two copies would have the same name.
    private func checkEntitlements(_ names: [String], in path: String) throws(BundlingError) {
        let lists = names.filter { $0.hasSuffix(Self.entitlements) }
        guard parts[path] != nil, lists.count > 1 else { return }
        throw BundlingError(
            .layout, place: "\(folder)/\(path)",
            what: "has more than one list of entitlements: \(Escaped(lists.joined(separator: ", ")))",
            remedy: "keep one of them")
    }

    /// Writes a property list with its placeholders filled in.
    /// - Returns: false if the file is not a property list of a bundle.
    private func makeText(
        _ name: String, in path: String, source: borrowing Descriptor, target: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        guard let part = parts[path] else { return false }
        if name == Self.info {
            try FileCopy.write(PropertyListText.written(part.info), to: name, in: target)
            return true
        }
        guard name.hasSuffix(Self.entitlements) else { return false }
        let bytes = try source.openBeneath(name, O_RDONLY).readAll(atMost: PropertyListLimits.entitlements.bytes)
        // If the file is not a property list, it is copied unchanged, and the validation reports the fault.
        guard let value = try? PropertyListValue(bytes, within: .entitlements) else { return false }
        try FileCopy.write(
            PropertyListText.written(part.settings.filled(value)), to: part.executable + Self.entitlements, in: target)
        return true
    }

    /// If the layout contains a program, the copy of the program stays executable.
    private func mode(of name: String, in path: String) -> UInt32 {
        parts[path]?.executable == name ? 0o755 : 0o644
    }

    private func entries(
        of directory: borrowing Descriptor, path: String, atMost limit: Int
    ) throws(BundlingError) -> [DirectoryEntry] {
        do throws(SystemError) {
            return try directory.entries(atMost: limit).sorted { ($0.name ?? "") < ($1.name ?? "") }
        } catch {
            throw BundlingError(error, place: "\(folder)/\(path)", code: .layout)
        }
    }

    private func opened(
        _ name: String, in directory: borrowing Descriptor, place: String
    ) throws(BundlingError) -> Descriptor {
        do throws(SystemError) {
            return try directory.openBeneath(name, O_RDONLY | O_DIRECTORY)
        } catch {
            throw BundlingError(error, place: "\(folder)/\(place)", code: .layout)
        }
    }

    private func step(_ place: String, _ body: () throws(SystemError) -> Void) throws(BundlingError) {
        do throws(SystemError) {
            try body()
        } catch {
            throw BundlingError(error, place: "\(folder)/\(place)", code: .layout)
        }
    }

    private func fault(_ path: String, what: String) -> BundlingError {
        BundlingError(.layout, place: "\(folder)/\(path)", what: what, remedy: "rename the file")
    }
}

/// Copies single files.
enum FileCopy {
    private static let piece = 1 << 20

    /// Copies a file's contents. The new file gets exactly the permissions in `mode`.
    static func copy(
        _ name: String, in source: borrowing Descriptor, to other: String, in target: borrowing Descriptor, mode: UInt32
    ) throws(SystemError) {
        try copy(source.openBeneath(name, O_RDONLY | O_NONBLOCK), to: other, in: target, mode: mode)
    }

    static func copy(
        _ file: borrowing Descriptor, to name: String, in target: borrowing Descriptor, mode: UInt32
    ) throws(SystemError) {
        let made = try target.openBeneath(name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        while true {
            let bytes = try file.readSome(atMost: piece)
            if bytes.isEmpty { break }
            try made.writeAll(bytes)
        }
        try made.setMode(mode)
    }

    static func write(_ text: String, to name: String, in target: borrowing Descriptor) throws(SystemError) {
        let made = try target.openBeneath(name, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try made.writeAll(Array(text.utf8))
        try made.setMode(0o644)
    }
}
