internal import Glibc

/// Where daemons listen and keep what is installed.
package enum DaemonPlace {
    /// The daemon of the whole machine.
    package static let systemSocket = "/run/annex/annexd.socket"
    package static let systemState = "/var/lib/annex"

    /// The daemon of the user who asks.
    package static var userSocket: String {
        (environment("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + "/annex/annexd.socket"
    }

    package static var userState: String {
        (environment("XDG_DATA_HOME") ?? ((environment("HOME") ?? "/") + "/.local/share")) + "/annex"
    }

    /// Where a host looks for a daemon, one after another: the user's own where there is a socket, then the machine's. A
    /// socket of his own that nobody listens at any more hides the machine's daemon from nobody.
    package static var sockets: [String] {
        access(userSocket, F_OK) == 0 ? [userSocket, systemSocket] : [systemSocket]
    }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        // The rule of these variables: what is not absolute is as good as not set.
        return text.hasPrefix("/") ? text : nil
    }
}
