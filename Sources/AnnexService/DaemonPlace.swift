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

    /// The user's own daemon where there is one, else the machine's.
    package static var socket: String { access(userSocket, F_OK) == 0 ? userSocket : systemSocket }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        // The rule of these variables: what is not absolute is as good as not set.
        return text.hasPrefix("/") ? text : nil
    }
}
