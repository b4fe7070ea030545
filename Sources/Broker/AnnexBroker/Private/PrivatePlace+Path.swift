package import AnnexBrokerAPI
package import AnnexLinux
internal import Glibc

extension PrivatePlace {
    /// The folder's path.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder; `EINVAL` if the folder's
    ///   path is not absolute.
    package func path() throws(SystemError) -> String { try path(user: geteuid(), environment: Self.variable) }

    func path(user: UInt32, environment: (String) -> String?) throws(SystemError) -> String {
        if case .folder(let path) = self {
            if path.hasPrefix("/") { return path }
            throw SystemError("open", errno: EINVAL, path: path, remedy: "name the folder by its absolute path")
        }
        if user == 0 { return DaemonPlace.systemState + "/private" }
        // The XDG base directory specification: a relative path is ignored.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/annex/private" }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/share/annex/private" }
        throw SystemError(
            "getenv", errno: ENOENT, path: "HOME",
            remedy: "set HOME or XDG_DATA_HOME, or name a folder for private directories")
    }

    /// A variable of the environment; nil in a program that runs with more rights than the user who started it.
    private static func variable(_ name: String) -> String? {
        getuid() == geteuid() && getgid() == getegid() ? getenv(name).map { String(cString: $0) } : nil
    }
}
