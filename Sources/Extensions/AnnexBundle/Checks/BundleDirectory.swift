package import AnnexLinux
internal import AnnexModel
internal import Glibc

/// The directory of a bundle. Files beneath it are opened without following links, and are checked after they are open.
struct BundleDirectory: ~Copyable {
    let descriptor: Descriptor
    /// The directory's status when it was opened.
    let status: FileStatus
    let path: String
    /// The path to show in messages: escaped, and starting with the app's directory.
    let shown: String

    /// Opens an app's directory. The caller's path may contain links.
    init(app path: String) throws(BundleError) {
        let opened = try Self.open(app: path)
        let shown = Escaped(Self.name(of: path, opened: opened)).description
        status = try Self.status(of: opened, shown: shown, rule: .p1)
        descriptor = opened
        self.path = path
        self.shown = shown
    }

    private static func open(app path: String) throws(BundleError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.directory(path)
        } catch {
            throw BundleError(
                .p1, file: Escaped(lastName(of: path)).description,
                what: "cannot be opened as a directory: \(Escaped("\(error)"))", remedy: "name an app's directory")
        }
    }

    /// The directory's name. The last part of a path such as `.` or `Name.app/..` is not the name.
    private static func name(of path: String, opened: borrowing Descriptor) -> String {
        let last = lastName(of: path)
        guard [".", ".."].contains(last), let real = try? opened.path() else { return last }
        return lastName(of: real)
    }

    private static func lastName(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Opens a directory again, by duplicating its descriptor. The directory was checked earlier.
    init(again directory: borrowing BundleFile, shown: String) throws(BundleError) {
        self.shown = shown
        path = directory.path
        status = directory.status
        let again: Descriptor
        do throws(SystemError) {
            again = try directory.descriptor.duplicate()
        } catch {
            throw Self.fault(error, shown: shown, rule: .p1)
        }
        descriptor = again
    }

    /// Opens a directory within a bundle.
    init(_ name: String, in parent: borrowing BundleDirectory) throws(BundleError) {
        let opened = try parent.open(name, rule: .p1, kind: .directory)
        shown = parent.shown(name)
        path = opened.path
        status = opened.status
        descriptor = opened.takeDescriptor()
    }

    /// The path of a file beneath this directory, for messages.
    func shown(_ name: String) -> String { "\(shown)/\(Escaped(name))" }

    /// Opens a file of the given kind beneath this directory. Rejects links. `O_NONBLOCK` prevents the open from
    /// blocking on a pipe or a device. Pipes and devices are rejected afterwards.
    func open(_ name: String, rule: BundleRule, kind: FileStatus.Kind) throws(BundleError) -> BundleFile {
        let shown = shown(name)
        let opened: Descriptor
        do throws(SystemError) {
            opened = try descriptor.openBeneath(name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw Self.fault(error, shown: shown, rule: rule)
        }
        let status = try Self.status(of: opened, shown: shown, rule: rule)
        guard status.kind == kind else {
            let wanted = kind == .directory ? "directory" : "regular file"
            throw BundleError(rule, file: shown, what: "is not a \(wanted)", remedy: "put a \(wanted) there")
        }
        return BundleFile(descriptor: opened, status: status, path: "\(path)/\(name)")
    }

    /// Opens a file that may be missing; nil if it is missing.
    func openIfPresent(
        _ name: String, rule: BundleRule, kind: FileStatus.Kind
    ) throws(BundleError) -> BundleFile? {
        do throws(SystemError) {
            _ = try descriptor.openBeneath(name, Descriptor.pathOnly)
        } catch {
            if error.errno == ENOENT || error.errno == ENOTDIR { return nil }
            throw Self.fault(error, shown: shown(name), rule: rule)
        }
        return try open(name, rule: rule, kind: kind)
    }

    /// Rejects a directory whose name does not end in `suffix`, such as `.app`.
    func checkName(suffix: String) throws(BundleError) {
        guard shown.hasSuffix(suffix), shown.utf8.count > suffix.utf8.count else {
            throw BundleError(.p1, file: shown, what: "is not called Name\(suffix)", remedy: "rename the directory")
        }
    }

    /// Reads the bundle's `Info.plist`.
    func info() throws(BundleError) -> InfoDictionary {
        let name = "Info.plist"
        let file = try open(name, rule: .p2, kind: .regular)
        let bytes = try file.bytes(atMost: PropertyListLimits.info.bytes, shown: shown(name), rule: .p2)
        return try InfoDictionary(bytes, file: shown(name), status: file.status)
    }

    /// Reads the `Info.plist` of a bundle again.
    /// - Parameters:
    ///   - directory: the bundle that was checked.
    ///   - shown: the directory's path in messages.
    ///   - checked: the status of `Info.plist` when it was checked.
    static func info(
        again directory: borrowing BundleFile, shown: String, unchangedSince checked: FileStatus
    ) throws(BundleError) -> InfoDictionary {
        let info = try BundleDirectory(again: directory, shown: shown).info()
        guard info.status.isUnchanged(since: checked) else {
            throw BundleError(
                .p2, file: "\(shown)/Info.plist", what: "has changed since it was checked",
                remedy: "install the app again")
        }
        return info
    }

    /// Converts this object into an open file with its status, for the launch.
    consuming func file() -> BundleFile { BundleFile(descriptor: descriptor, status: status, path: path) }

    private static func status(
        of descriptor: borrowing Descriptor, shown: String, rule: BundleRule
    ) throws(BundleError) -> FileStatus {
        do throws(SystemError) {
            return try descriptor.status()
        } catch {
            throw fault(error, shown: shown, rule: rule)
        }
    }

    static func fault(_ error: SystemError, shown: String, rule: BundleRule) -> BundleError {
        switch error.errno {
        case ENOENT: BundleError(rule, file: shown, what: "is missing", remedy: "add it")
        case ELOOP, EXDEV:
            BundleError(
                .p7, file: shown, what: "is a link or leads out of the bundle", remedy: "put the file itself there")
        case EFBIG: BundleError(rule, file: shown, what: "is too long", remedy: error.remedy ?? "shorten it")
        default:
            BundleError(
                rule, file: shown, what: "cannot be read: \(Escaped("\(error)"))",
                remedy: "give its user the right to read it")
        }
    }
}

/// A file or directory of a bundle, kept open from the check to the launch.
///
/// The launch uses the open file. So it runs the checked file, even if the path leads to another file by then.
public struct BundleFile: ~Copyable, Sendable {
    /// The file, open for reading.
    package let descriptor: Descriptor
    /// The file's status when it was checked.
    package let status: FileStatus
    /// The path at which the file was found. Messages show this path. A launch mounts the file by this path, and then
    /// checks that the mounted file has the device and inode of the checked file.
    public let path: String

    /// Whether the file is unchanged since the check and still has a name. Callers need this check, because the
    /// contents or rights of an open file can change.
    package func isUnchanged() throws(SystemError) -> Bool {
        let now = try descriptor.status()
        return now.isUnchanged(since: status) && now.links > 0
    }

    /// Hands over the open file, and drops its status and path.
    consuming func takeDescriptor() -> Descriptor { descriptor }

    /// The first bytes of the file; fewer if the file is shorter.
    func start(count: Int, shown: String, rule: BundleRule) throws(BundleError) -> [UInt8] {
        do throws(SystemError) {
            return try descriptor.read(at: 0, count: count)
        } catch {
            throw BundleDirectory.fault(error, shown: shown, rule: rule)
        }
    }

    /// All bytes of a small file.
    func bytes(atMost limit: Int, shown: String, rule: BundleRule) throws(BundleError) -> [UInt8] {
        do throws(SystemError) {
            return try descriptor.readAll(atMost: limit)
        } catch {
            throw BundleDirectory.fault(error, shown: shown, rule: rule)
        }
    }
}

extension FileStatus {
    /// Whether both statuses describe the same file with the same contents and rights. The comparison includes
    /// `ctime`, because a program can set `mtime` back, but not `ctime`.
    package func isUnchanged(since last: FileStatus) -> Bool {
        device == last.device && inode == last.inode && changed == last.changed && size == last.size
            && modified == last.modified && mode == last.mode && user == last.user
    }
}
