internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// Walks all files of an app, and checks the name, kind and rights of each file. The walk does not read the contents
/// of files.
///
/// The files of an extension are walked separately from the app's own files. So if a file of an extension has a fault,
/// Annex refuses only this extension. All files of the app and its extensions count against one limit.
final class BundleTree {
    /// The most files and directories in one app.
    static let mostEntries = 20_000
    /// The longest path beneath the app, in bytes.
    private static let longestPath = 1_024
    private static let extensions = "PlugIns"

    private var seen = 0
    /// The names of the extensions in `PlugIns`, sorted. The walk of the app fills them in.
    private(set) var extensionNames: [String] = []
    /// The names in the app's own directory.
    private(set) var topNames: Set<String> = []
    /// The paths of all regular files that the walks visited, for the checks of the validation.
    private(set) var files: [String] = []
    /// The paths of all symbolic links that the walks visited, for the checks of the validation.
    private(set) var links: [String] = []

    /// Walks the app's own files.
    func walk(_ app: borrowing BundleDirectory, reporting findings: FindingCollector) {
        walk(app, from: "", reporting: findings)
        extensionNames.sort()
    }

    /// Walks the files of one extension.
    func walk(extension name: String, in app: borrowing BundleDirectory, reporting findings: FindingCollector) {
        walk(app, from: "\(Self.extensions)/\(name)", reporting: findings)
    }

    private func walk(_ app: borrowing BundleDirectory, from start: String, reporting findings: FindingCollector) {
        var waiting = [start]
        while let directory = waiting.popLast() {
            let found = findings.attempt { () throws(BundleError) in
                try app.entries(of: directory, atMost: Self.mostEntries - seen)
            }
            guard let found else { continue }
            seen += found.count
            for entry in found {
                let path = findings.attempt { () throws(BundleError) in
                    try Self.path(of: entry, in: directory, shown: app.shown)
                }
                guard let path, !isExtension(path, in: directory) else { continue }
                if directory.isEmpty { topNames.insert(path) }
                Self.check(entry, at: path, in: app, reporting: findings)
                if entry.isDirectory { waiting.append(path) }
                if findings.isValidating { keep(entry, at: path) }
            }
        }
    }

    private func keep(_ entry: DirectoryEntry, at path: String) {
        switch entry.kind {
        case .regular: files.append(path)
        case .symbolicLink: links.append(path)
        default: break
        }
    }

    /// Whether the path is the directory of an extension. If so, this method records the extension's name, and a
    /// later walk visits the extension's files.
    private func isExtension(_ path: String, in directory: String) -> Bool {
        guard directory == Self.extensions, path.hasSuffix(".appex") else { return false }
        extensionNames.append(String(path.dropFirst(Self.extensions.count + 1)))
        return true
    }

    private static func path(
        of entry: DirectoryEntry, in directory: String, shown: String
    ) throws(BundleError) -> String {
        let place = directory.isEmpty ? shown : "\(shown)/\(Escaped(directory))"
        guard let name = entry.name else {
            throw BundleError(
                .p1, file: place, what: "holds a name that is not UTF-8", remedy: "rename the file")
        }
        let path = directory.isEmpty ? name : "\(directory)/\(name)"
        guard path.utf8.count <= longestPath else {
            throw BundleError(
                .p1, file: place, what: "holds a path longer than \(longestPath) bytes", remedy: "nest less deeply")
        }
        guard name.unicodeScalars.allSatisfy(ShownText.isShowable) else {
            throw BundleError(
                .p1, file: "\(place)/\(Escaped(name))", what: "has a name with characters that cannot be shown",
                remedy: "rename the file")
        }
        return path
    }

    private static func check(
        _ entry: DirectoryEntry, at path: String, in app: borrowing BundleDirectory,
        reporting findings: FindingCollector
    ) {
        let shown = app.shown(path)
        switch entry.kind {
        case .regular:
            if let fault = BundleRights.fault(ofFile: entry, shown: shown) { findings.report(fault) }
        case .directory: break
        case .symbolicLink:
            _ = findings.attempt { () throws(BundleError) in try app.checkLink(path) }
            // A link has no rights of its own.
            return
        default:
            findings.report(
                BundleError(
                    .p7, file: shown, what: "is neither a file nor a directory nor a link", remedy: "remove it"))
        }
        if let fault = BundleRights.fault(in: entry.mode, shown: shown) { findings.report(fault) }
    }
}

/// The rights that files of a bundle may have.
enum BundleRights {
    /// The fault of a file or directory that can be changed by users other than its owner.
    static func fault(in mode: UInt32, shown: String) -> BundleError? {
        guard mode & 0o022 != 0 else { return nil }
        let others = mode & 0o002 != 0 ? "every user" : "its group"
        return BundleError(
            .p7, file: shown, what: "can be changed by \(others)",
            remedy: "chmod \(mode & 0o002 != 0 ? "go" : "g")-w it")
    }

    /// The fault of a regular file with a second name (hard link) or with a set-user-ID or set-group-ID bit.
    static func fault(ofFile entry: DirectoryEntry, shown: String) -> BundleError? {
        if entry.links > 1 {
            return BundleError(
                .p7, file: shown, what: "has \(entry.links) names (hard links): each could change it",
                remedy: "copy the file")
        }
        guard entry.mode & 0o6000 != 0 else { return nil }
        return BundleError(
            .p7, file: shown, what: "has the set-user-ID or set-group-ID bit", remedy: "chmod ug-s it")
    }
}

extension BundleDirectory {
    /// The entries of a directory beneath this one. An empty path stands for this directory itself.
    func entries(of directory: String, atMost limit: Int) throws(BundleError) -> [DirectoryEntry] {
        do throws(SystemError) {
            if directory.isEmpty { return try descriptor.entries(atMost: limit) }
            return try descriptor.openBeneath(directory, O_RDONLY | O_DIRECTORY).entries(atMost: limit)
        } catch {
            throw Self.fault(error, shown: directory.isEmpty ? shown : shown(directory), rule: .p1)
        }
    }

    /// Rejects a link that leads out of this directory.
    func checkLink(_ path: String) throws(BundleError) {
        do throws(SystemError) {
            if try descriptor.leadsBeneath(path) { return }
        } catch {
            throw Self.fault(error, shown: shown(path), rule: .p7)
        }
        throw BundleError(
            .p7, file: shown(path), what: "is a link that leads out of the bundle",
            remedy: "copy what it leads to into the bundle")
    }
}
