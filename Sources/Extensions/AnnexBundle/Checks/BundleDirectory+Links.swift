internal import AnnexLinux
internal import AnnexModel
internal import Glibc

extension BundleDirectory {
    /// The most files and directories in one app.
    static let mostEntries = 20_000
    /// The longest path beneath the app, in bytes.
    private static let longestPath = 1_024

    /// Rejects links that lead out of the bundle, names that are not UTF-8, and paths that are too long.
    func checkLinks() throws(BundleError) {
        var waiting = [""]
        var seen = 0
        while let directory = waiting.popLast() {
            for entry in try entries(of: directory, atMost: Self.mostEntries - seen) {
                seen += 1
                let path = try path(of: entry, in: directory)
                if entry.isSymbolicLink { try checkLink(path) }
                if entry.isDirectory { waiting.append(path) }
            }
        }
    }

    /// The names in a directory beneath this one. An empty path names this directory itself.
    func entries(of directory: String, atMost limit: Int) throws(BundleError) -> [DirectoryEntry] {
        let shown = directory.isEmpty ? self.shown : "\(self.shown)/\(Escaped(directory))"
        do throws(SystemError) {
            if directory.isEmpty { return try descriptor.entries(atMost: limit) }
            return try descriptor.openBeneath(directory, O_RDONLY | O_DIRECTORY).entries(atMost: limit)
        } catch {
            throw Self.fault(error, shown: shown, rule: .p1)
        }
    }

    private func path(of entry: DirectoryEntry, in directory: String) throws(BundleError) -> String {
        guard let name = entry.name else {
            throw BundleError(
                .p1, file: "\(shown)/\(Escaped(directory))", what: "holds a name that is not UTF-8",
                remedy: "rename the file"
            )
        }
        let path = directory.isEmpty ? name : "\(directory)/\(name)"
        guard path.utf8.count <= Self.longestPath else {
            throw BundleError(
                .p1, file: "\(shown)/\(Escaped(directory))", what: "holds a path longer than \(Self.longestPath) bytes",
                remedy: "nest less deeply")
        }
        return path
    }

    private func checkLink(_ path: String) throws(BundleError) {
        do throws(SystemError) {
            if try descriptor.leadsBeneath(path) { return }
        } catch {
            throw Self.fault(error, shown: "\(shown)/\(Escaped(path))", rule: .p7)
        }
        throw BundleError(
            .p7, file: "\(shown)/\(Escaped(path))", what: "is a link that leads out of the bundle",
            remedy: "copy what it leads to into the bundle")
    }
}
