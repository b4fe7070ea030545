package import AnnexBrokerAPI
package import AnnexLinux
internal import AnnexPortalServer
internal import Glibc

extension PrivateLocation {
    /// The folder's path.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder; `EINVAL` if the folder's
    ///   path is not absolute.
    package func path() throws(SystemError) -> String {
        try path(user: geteuid(), environment: UserEnvironment.variable)
    }

    func path(user: UInt32, environment: (String) -> String?) throws(SystemError) -> String {
        guard case .folder(let path) = self else {
            return try StandardPaths.privateDirectories(of: user, environment: environment)
        }
        if path.hasPrefix("/") { return path }
        throw SystemError("open", errno: EINVAL, path: path, remedy: "name the folder by its absolute path")
    }
}
