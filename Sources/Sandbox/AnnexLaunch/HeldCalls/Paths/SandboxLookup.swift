internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Looks at the private directories of a sandbox, where the host's files of the same names are not shown.
///
/// The program is hostile and chose the names. No link is followed, and objects are opened with `O_PATH` only. The
/// private directories are in memory, or on a disk that the caller chose, so no lookup leaves the machine.
struct SandboxLookup: ~Copyable {
    private let root: Descriptor

    /// The root of the calling thread; nil if it cannot be opened. The thread's number belongs to the thread only while
    /// the call is held.
    init?(of call: HeldCall) {
        guard call.thread != 0, let root = try? Descriptor.reference(to: ProcNumber.folder(of: call.thread) + "/root")
        else {
            return nil
        }
        self.root = root
    }

    /// The errno with which the sandbox refuses a path in a private directory; nil if the sandbox has what the call
    /// needs, or if the answer is unknown.
    ///
    /// A directory that only leads to something handed over, or to the working directory, has no bit for writing.
    func refusal(of named: NamedPath) -> Int32? {
        let names = PathText.parts(named.makesEntry ? named.path.parentPath : named.path)
        do throws(SystemError) {
            let path = PathText.bytes(names.joined(separator: "/"))
            let object = try root.openBeneath(bytes: path, Descriptor.pathOnly | O_NOFOLLOW)
            let status = try object.status()
            let isLeading = status.kind == .directory && status.mode & 0o222 == 0
            return named.makesEntry && isLeading ? EACCES : nil
        } catch {
            return error.errno == ENOENT || error.errno == ENOTDIR ? ENOENT : nil
        }
    }
}
