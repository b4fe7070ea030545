internal import AnnexPortal
internal import Glibc

/// The paths at which daemons listen and keep installed apps.
package enum DaemonPaths {
    /// The paths of the daemon that serves the whole machine.
    package static let systemSocket = MachineDaemon.socket
    package static let systemState = "/var/lib/annex"

    /// The socket of the daemon that serves only the calling user.
    package static var userSocket: String {
        (environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + "/annex/annexd.socket"
    }

    package static var userState: String {
        (environment("XDG_DATA_HOME") ?? ((environment("HOME") ?? "/") + "/.local/share")) + "/annex"
    }

    /// The sockets that a host tries, in order. These are the user's own socket, if it exists, and then the machine's
    /// socket. So if no daemon listens at the user's socket, the host still finds the machine's daemon.
    package static var sockets: [String] {
        access(userSocket, F_OK) == 0 ? [userSocket, systemSocket] : [systemSocket]
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        // The XDG rule says that a path that is not absolute counts as not set.
        return text.hasPrefix("/") ? text : nil
    }
}

/// Where the reports on ended extensions are kept. Each end makes one report, which is a JSON file. The newest 500
/// reports are kept. `annex reports` reads them.
public enum ReportLocation: Sendable, Hashable {
    /// The user's own folder, which is the first of these:
    /// - the folder that `ANNEX_REPORTS` names; if that variable is set and empty, no report is kept
    /// - `/var/lib/annex/reports` for root
    /// - `$XDG_STATE_HOME/annex/reports`
    /// - `~/.local/state/annex/reports`
    case standard
    /// The folder at this absolute path. Annex creates it if it is missing. The folder must belong to this user, and no
    /// other user may have the right to write to it.
    case folder(String)
    /// No report is kept.
    case nowhere
}

/// Where the private directories of extensions are kept. Each directory has the path `APP/EXTENSION`, whose two names
/// are bundle identifiers.
public enum PrivateLocation: Sendable, Hashable {
    /// The user's own folder, which is the first of these:
    /// - `/var/lib/annex/private` for root
    /// - `$XDG_DATA_HOME/annex/private`
    /// - `~/.local/share/annex/private`
    case standard
    /// The folder at this absolute path. Annex creates it if it is missing. The folder must belong to this user, and no
    /// other user may have the right to write to it.
    case folder(String)
}
