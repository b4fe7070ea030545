package import AnnexLinux
internal import Glibc

extension OwnedName {
    /// Folders in `parent` whose makers are gone: what a SIGKILL left behind.
    package static func leftovers(in parent: String) -> [String] {
        guard let folder = try? Descriptor.directory(parent) else { return [] }
        let entries = (try? folder.entries(atMost: 65_536)) ?? []
        return entries.compactMap { entry -> String? in
            guard let text = entry.name, let name = OwnedName(text), !name.isOwned else { return nil }
            let path = parent + "/" + text
            // In a folder that everybody writes to: only a directory of our own, and no link to one.
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid()
            else { return nil }
            return path
        }
    }

    /// A new folder in `parent` that says whose it is, and that every user can enter.
    package static func makeFolder(in parent: String) throws(SystemError) -> String {
        let path = parent + "/" + next()
        guard unsafe mkdir(path, 0o755) == 0 else { throw SystemError("mkdir", errno: errno, path: path) }
        // Whatever the umask.
        guard unsafe chmod(path, 0o755) == 0 else { throw SystemError("chmod", errno: errno, path: path) }
        return path
    }
}
