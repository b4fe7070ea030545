internal import Glibc

extension Descriptor {
    /// Refuses an object that belongs to another user or that other users can write to. Its contents could come from
    /// anyone.
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
