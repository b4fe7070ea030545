internal import Glibc

extension Descriptor {
    /// Refuses what is another user's, or what others may write to: what lies in it would be anybody's word.
    /// - Parameter path: for the error.
    package func checkOwn(_ path: String) throws(SystemError) {
        let status = try status()
        guard status.user == geteuid() else {
            throw SystemError(
                "open", errno: EPERM, path: path, remedy: "it belongs to uid \(status.user): name a folder of your own")
        }
        guard status.mode & 0o022 == 0 else {
            throw SystemError("open", errno: EPERM, path: path, remedy: "others may write to it: chmod 700 it")
        }
    }
}
