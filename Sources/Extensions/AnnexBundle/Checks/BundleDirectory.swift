package import AnnexLinux
internal import AnnexModel
internal import Glibc

/// The directory of a bundle. Files are opened beneath it without following links, and checked after they are open.
struct BundleDirectory: ~Copyable {
    let descriptor: Descriptor
    let path: String
    /// The path to show in messages: escaped, and starting with the app's directory.
    let shown: String

    /// Opens an app's directory. The caller's path may lead there through links.
    init(app path: String) throws(BundleError) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        shown = Escaped(name).description
        self.path = path
        descriptor = try Self.openApp(path, shown: shown)
    }

    private static func openApp(_ path: String, shown: String) throws(BundleError) -> Descriptor {
        let opened: Descriptor
        do throws(SystemError) {
            opened = try Descriptor.directory(path)
        } catch {
            throw BundleError(
                .p1, file: shown, what: "cannot be opened as a directory: \(Escaped("\(error)"))",
                remedy: "name an app's directory")
        }
        _ = try check(opened, shown: shown, rule: .p1, kind: .directory)
        return opened
    }

    /// Duplicates the descriptor of a bundle's directory that was checked earlier.
    init(again directory: borrowing BundleFile, shown: String) throws(BundleError) {
        let again: Descriptor
        do throws(SystemError) {
            again = try directory.descriptor.duplicate()
        } catch {
            throw Self.fault(error, shown: shown, rule: .p1)
        }
        descriptor = again
        path = directory.path
        self.shown = shown
    }

    /// Opens a directory within a bundle.
    init(_ name: String, in parent: borrowing BundleDirectory) throws(BundleError) {
        descriptor = try parent.open(name, rule: .p1, kind: .directory)
        path = "\(parent.path)/\(name)"
        shown = "\(parent.shown)/\(Escaped(name))"
    }

    /// Opens a file of the given kind beneath this directory. Rejects links, and files that every user can write.
    /// `O_NONBLOCK` keeps the open from blocking on a pipe or a device; both are then rejected.
    func open(_ name: String, rule: BundleRule, kind: FileStatus.Kind) throws(BundleError) -> Descriptor {
        let shown = "\(self.shown)/\(Escaped(name))"
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        let opened: Descriptor
        do throws(SystemError) {
            opened = try descriptor.openBeneath(name, flags)
        } catch {
            throw Self.fault(error, shown: shown, rule: rule)
        }
        _ = try Self.check(opened, shown: shown, rule: rule, kind: kind)
        return opened
    }

    /// Reads a whole small file. Returns its bytes, and its status from before they were read.
    func read(
        _ name: String, atMost limit: Int, rule: BundleRule
    ) throws(BundleError) -> (bytes: [UInt8], status: FileStatus) {
        let file = try open(name, rule: rule, kind: .regular)
        do throws(SystemError) {
            let status = try file.status()
            return (try file.readAll(atMost: limit), status)
        } catch {
            throw Self.fault(error, shown: "\(shown)/\(Escaped(name))", rule: rule)
        }
    }

    /// Rejects a directory whose name does not end in `suffix`, such as `.app`.
    func checkName(suffix: String) throws(BundleError) {
        guard shown.hasSuffix(suffix), shown.utf8.count > suffix.utf8.count else {
            throw BundleError(.p1, file: shown, what: "is not called Name\(suffix)", remedy: "rename the directory")
        }
    }

    /// Reads the bundle's `Info.plist`.
    func info() throws(BundleError) -> InfoDictionary {
        let (bytes, status) = try read("Info.plist", atMost: PropertyListLimits.info.bytes, rule: .p2)
        return try InfoDictionary(bytes, file: "\(shown)/Info.plist", status: status)
    }

    /// This directory with its status, ready for the launch.
    consuming func file() throws(BundleError) -> BundleFile {
        let status = try Self.check(descriptor, shown: shown, rule: .p1, kind: .directory)
        return BundleFile(descriptor: descriptor, status: status, path: path)
    }

    @discardableResult
    static func check(
        _ descriptor: borrowing Descriptor, shown: String, rule: BundleRule, kind: FileStatus.Kind
    ) throws(BundleError) -> FileStatus {
        let status: FileStatus
        do throws(SystemError) {
            status = try descriptor.status()
        } catch {
            throw fault(error, shown: shown, rule: rule)
        }
        guard status.kind == kind else {
            let wanted = kind == .directory ? "directory" : "regular file"
            throw BundleError(rule, file: shown, what: "is not a \(wanted)", remedy: "put a \(wanted) there")
        }
        guard status.mode & 0o002 == 0 else {
            throw BundleError(.p7, file: shown, what: "can be changed by every user", remedy: "chmod o-w it")
        }
        return status
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

/// A file or directory of a bundle that stays open from the check to the launch.
///
/// The launch uses the open file, so it runs what was checked even if the path names another file by then.
public struct BundleFile: ~Copyable, Sendable {
    /// The file, open for reading.
    package let descriptor: Descriptor
    /// The file's status when it was checked.
    package let status: FileStatus
    /// The path at which the file was found. Messages show it, and a bind mount finds the file by it and then compares
    /// device and inode.
    public let path: String

    /// Whether the file is still the one that was checked, and still has a name. Its contents or rights may have
    /// changed although the same file is open.
    package func isUnchanged() throws(SystemError) -> Bool {
        let now = try descriptor.status()
        return now.isUnchanged(since: status) && now.links > 0
    }
}

extension FileStatus {
    /// Whether both statuses describe the same file with the same contents and rights. Comparing `ctime` alone would
    /// almost suffice, because a program can set back `mtime` but not `ctime`.
    package func isUnchanged(since last: FileStatus) -> Bool {
        device == last.device && inode == last.inode && changed == last.changed && size == last.size
            && modified == last.modified && mode == last.mode && user == last.user
    }
}
