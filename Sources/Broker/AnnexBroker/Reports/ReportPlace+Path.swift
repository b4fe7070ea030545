package import AnnexBrokerAPI
package import AnnexLinux
internal import Glibc

extension ReportPlace {
    /// The error if the environment names no folder for reports.
    package static let homeless = SystemError(
        "getenv", errno: ENOENT, path: "HOME", remedy: "name a folder by ANNEX_REPORTS")

    /// The folder's path; nil if no reports are wanted.
    /// - Throws: `homeless` if neither the environment nor the home directory names a folder; `EINVAL` if the folder's
    ///   path is not absolute.
    package func path() throws(SystemError) -> String? {
        try path(user: geteuid(), environment: Self.variable)
    }

    func path(user: UInt32, environment: (String) -> String?) throws(SystemError) -> String? {
        switch self {
        case .nowhere: return nil
        case .folder(let path): return try Self.absolute(path)
        case .standard:
            if let named = environment("ANNEX_REPORTS") { return named.isEmpty ? nil : try Self.absolute(named) }
            if user == 0 { return "/var/lib/annex/reports" }
            // The XDG base directory specification: a relative path is ignored.
            if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/annex/reports" }
            guard let home = environment("HOME"), home.hasPrefix("/") else { throw Self.homeless }
            return home + "/.local/state/annex/reports"
        }
    }

    private static func absolute(_ path: String) throws(SystemError) -> String {
        guard path.hasPrefix("/") else {
            throw SystemError("open", errno: EINVAL, path: path, remedy: "name the folder by its absolute path")
        }
        return path
    }

    /// A variable of the environment; nil in a program that runs with more rights than the user who started it.
    private static func variable(_ name: String) -> String? {
        getuid() == geteuid() && getgid() == getegid() ? getenv(name).map { String(cString: $0) } : nil
    }
}
