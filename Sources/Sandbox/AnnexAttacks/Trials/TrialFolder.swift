internal import AnnexLaunch
internal import AnnexLinux
internal import Glibc

/// A folder that serves as a sandbox's bundle. It holds the trial's program as an executable file.
final class TrialFolder: Sendable {
    static let program = "trial"
    private static let parent = "/tmp"
    let path: String

    init() throws(TrialFailure) {
        for leftover in OwnedName.leftovers(in: Self.parent) { Self.remove(leftover) }
        path = try TrialSandbox.system { () throws(SystemError) in try OwnedName.makeFolder(in: Self.parent) }
        try Self.place(in: path)
    }

    private static func place(in path: String) throws(TrialFailure) {
        let text = path + "/" + program
        try TrialSandbox.system { () throws(SystemError) in
            guard let bytes = TrialPrograms.file(Machine.name) else {
                throw SystemError("trial", errno: ENOEXEC, remedy: "Annex runs on x86-64 and aarch64")
            }
            try Descriptor.open(text, O_WRONLY | O_CREAT | O_EXCL, mode: 0o755).writeAll(bytes)
            // The sandbox may run as any user of this machine. That user must be able to open the file, regardless of
            // the umask of this process.
            guard unsafe chmod(text, 0o755) == 0 else { throw SystemError("chmod", errno: errno, path: text) }
            try Descriptor.settle(program: text)
        }
    }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        try? Descriptor.directory(parent).removeTree(String(path.dropFirst(parent.utf8.count + 1)))
    }

    func open() throws(TrialFailure) -> Objects {
        try TrialSandbox.system { () throws(SystemError) in
            let bundle = try Descriptor.directory(path)
            return Objects(program: try bundle.openBeneath(Self.program, O_RDONLY), bundle: bundle)
        }
    }

    struct Objects: ~Copyable {
        var program: Descriptor
        var bundle: Descriptor
    }
}
