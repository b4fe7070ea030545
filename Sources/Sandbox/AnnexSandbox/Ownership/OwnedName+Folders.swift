package import AnnexLinux
internal import Glibc

extension OwnedName {
    /// Folders in `parent` whose owners are gone, such as after a SIGKILL.
    package static func leftovers(in parent: String) -> [String] {
        guard let folder = try? Descriptor.directory(parent) else { return [] }
        let entries = (try? folder.entries(atMost: 65_536)) ?? []
        return entries.compactMap { entry -> String? in
            guard let text = entry.name, let name = OwnedName(text), !name.isOwned else { return nil }
            let path = parent + "/" + text
            // Every user may be able to write to `parent`. So only a directory of this user counts, and no link to one.
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid()
            else { return nil }
            return path
        }
    }

    /// Creates a folder in `parent` whose name identifies its owner. Every user can enter the folder.
    package static func makeFolder(in parent: String) throws(SystemError) -> String {
        let path = parent + "/" + next()
        guard unsafe mkdir(path, 0o755) == 0 else { throw SystemError("mkdir", errno: errno, path: path) }
        // The umask does not affect chmod.
        guard unsafe chmod(path, 0o755) == 0 else { throw SystemError("chmod", errno: errno, path: path) }
        return path
    }
}
