package import AnnexLinux
internal import AnnexPortal
internal import Glibc

/// The folder of a user's private directories and app groups, for programs that name no other folder. The user can
/// name another folder with `ANNEX_PRIVATE`, for example the folder of a daemon that was started with `--state`.
package enum StandardPaths {
    /// The folder's path.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder.
    package static func privateDirectories() throws(SystemError) -> String {
        try privateDirectories(of: geteuid(), environment: UserEnvironment.variable)
    }

    package static func privateDirectories(
        of user: UInt32, environment: (String) -> String?
    ) throws(SystemError) -> String {
        if let folder = environment("ANNEX_PRIVATE"), folder.hasPrefix("/") { return folder }
        if user == 0 { return "/var/lib/annex/private" }
        // A relative path is ignored, as the XDG base directory specification says.
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/annex/private" }
        if let home = environment("HOME"), home.hasPrefix("/") { return home + "/.local/share/annex/private" }
        throw SystemError(
            "getenv", errno: ENOENT, path: "HOME",
            remedy: "set HOME or XDG_DATA_HOME, or name a folder for private directories")
    }

    /// The socket of the daemon that serves the whole machine. `ANNEX_DAEMON` can name another socket.
    package static func machineDaemon() -> String {
        UserEnvironment.path("ANNEX_DAEMON") ?? MachineDaemon.socket
    }

    /// The socket of the daemon that serves only this user. `ANNEX_DAEMON` can name another socket.
    package static func userDaemon() -> String {
        UserEnvironment.path("ANNEX_DAEMON")
            ?? (UserEnvironment.path("XDG_RUNTIME_DIR") ?? "/run/user/\(geteuid())") + "/annex/annexd.socket"
    }
}
