internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// A folder that holds the probe: a small program that the doctor launches like an extension's bundle. The folder is
/// removed when this value is destroyed.
package struct ProbeBundle: ~Copyable {
    /// The file name of the probe. The probe is executed under this name. Its file is a copy of the warden's program.
    static let program = "annex-probe"

    let path: String

    /// Makes the folder in the first directory from which programs may be executed.
    ///
    /// - Throws: the last error, if no directory is suitable.
    init() throws(SystemError) {
        var last = SystemError(
            "mkdir", errno: ENOENT, path: "/tmp", remedy: "set TMPDIR to a writable folder")
        for parent in Self.parents {
            do throws(SystemError) {
                try Self.rejectNoExecute(parent)
                path = try Self.make(in: parent)
                return
            } catch {
                last = error
            }
        }
        throw last
    }

    deinit {
        Self.remove(path)
    }

    private static var parents: [String] {
        // SAFETY: the texts are copied before anything can change the environment.
        let own = ["TMPDIR", "HOME"].compactMap { (name: String) -> String? in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        return ["/tmp", "/var/tmp", "/dev/shm", "/run"] + own
    }

    private static func rejectNoExecute(_ parent: String) throws(SystemError) {
        var status = statvfs()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe statvfs(parent, &status) == 0 else { throw SystemError("statvfs", errno: errno, path: parent) }
        let noExecute: UInt = 8  // ST_NOEXEC, which Glibc's import lacks
        guard status.f_flag & noExecute == 0 else {
            throw SystemError(
                "mkdir", errno: EACCES, path: parent,
                remedy: "programs cannot be executed there (noexec): set TMPDIR to another folder")
        }
    }

    private static func make(in parent: String) throws(SystemError) -> String {
        let path = try OwnedName.makeFolder(in: parent)
        do throws(SystemError) {
            try write(to: path + "/" + program)
            try Descriptor.settle(program: path + "/" + program)
        } catch {
            remove(path)
            throw error
        }
        return path
    }

    private static func write(to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o500)
        try file.writeAll(try WardenProgram.bytes())
        // Every user must be able to read and execute the file, because the sandbox's user has no other rights here.
        guard fchmod(file.number, 0o555) == 0 else { throw SystemError("fchmod", errno: errno, path: path) }
    }

    private static func remove(_ path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        try? Descriptor.directory(String(path[..<slash])).removeTree(String(path[path.index(after: slash)...]))
    }

    /// Removes the folders of doctors that no longer run.
    static func sweep() -> [String] {
        parents.flatMap(OwnedName.leftovers).filter { path in
            remove(path)
            return unsafe access(path, F_OK) != 0
        }
    }
}
