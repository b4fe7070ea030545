internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexLinux
internal import AnnexModel
internal import AnnexPortalServer
internal import Glibc

/// Starts a containing app for a reason, outside of every sandbox.
///
/// The app outlives the broker and the host. If systemd runs, the app is a transient unit of systemd; otherwise it is a
/// detached process. The broker sets the user and the environment of the app. The reason is the app's only argument
/// (`StartReason.argument`). If an extension asks to open a URL, only this URL reaches the app from the extension.
struct AppStarter: Sendable {
    /// The user that the app runs as.
    let owner: UInt32
    /// The daemon's socket, as in `BrokerConfiguration`.
    var daemon: String?
    /// The folder where the broker keeps its groups, so that the app reaches the same groups. It is nil if the daemon
    /// serves the app, or if there are no groups.
    var groups: String?
    var systemdRun = "/usr/bin/systemd-run"
    /// The folder with the sockets of systemd's managers. A user's socket is `ID/systemd/private` in it.
    var runtime = "/run/user"

    /// Starts an installed app.
    /// - Throws: `invalidBundle` if the app's program has changed since the installation checked it; `system` if the
    ///   program cannot be started.
    func startInstalled(_ app: AppBundle, for reason: StartReason) throws(BrokerError) {
        // The broker starts the file that it holds open. The installation checked this file, but a program may have
        // overwritten it since then.
        guard (try? app.executable.isUnchanged()) ?? false else {
            throw BrokerError(
                .invalidBundle, what: "\(app.executable.path) has changed since it was installed",
                place: app.identifier,
                remedy: "install the app again")
        }
        do throws(SystemError) {
            try start(app, for: reason)
        } catch {
            throw BrokerError(
                .system, what: "cannot be started: \(error.cause)", place: app.identifier, remedy: error.remedy)
        }
    }

    /// - Throws: a `SystemError` if the program cannot be started.
    func start(_ app: AppBundle, for reason: StartReason) throws(SystemError) {
        let account = try UserAccount(owner)
        let environment = environment(of: account, for: reason)
        if isOwn, hasManager, (try? startUnit(app, for: reason, environment: environment)) != nil { return }
        let program = DetachedProgram(
            arguments: [app.executable.path, reason.argument], environment: environment, user: isOwn ? nil : account)
        try program.start(app.executable.descriptor)
    }

    private var isOwn: Bool { owner == geteuid() }

    // MARK: The environment

    private static let path = "/usr/local/bin:/usr/bin:/bin"
    /// The variables that a program needs to reach its user's groups and desktop. A broker that runs as this user has
    /// them from the user's session.
    private static let session = [
        "ANNEX_PRIVATE", "ANNEX_TODAY", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "LANG", "LANGUAGE", "LC_ALL",
        "WAYLAND_DISPLAY",
        "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_CURRENT_DESKTOP", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
        "XDG_SESSION_TYPE", "XDG_STATE_HOME",
    ]

    /// The variables that lead a program to the user's screen. An app that is started in the background gets none of
    /// them.
    private static let screen = ["DISPLAY", "WAYLAND_DISPLAY"]

    func environment(of account: UserAccount, for reason: StartReason) -> [String: String] {
        var values = ["PATH": Self.path, "HOME": account.home, "USER": account.name, "LOGNAME": account.name]
        values["ANNEX_DAEMON"] = daemon
        guard isOwn else {
            values["XDG_RUNTIME_DIR"] = "\(runtime)/\(owner)"
            return values
        }
        let withheld = reason.isInBackground ? Self.screen : []
        for name in Self.session where !withheld.contains(name) { values[name] = UserEnvironment.variable(name) }
        if let groups { values["ANNEX_PRIVATE"] = groups }
        // The variable `HOME` may differ from the home directory in the system's user database. The user's groups then
        // lie below `HOME`.
        if let home = UserEnvironment.path("HOME") { values["HOME"] = home }
        return values
    }

    // MARK: systemd

    /// How long systemd may take to start a unit.
    private static let patience = Duration.seconds(5)

    private var hasManager: Bool {
        access("\(runtime)/\(owner)/systemd/private", F_OK) == 0 && access(systemdRun, X_OK) == 0
    }

    /// Starts a unit that runs the file that this process holds open. This process holds the file until systemd has
    /// started it.
    private func startUnit(
        _ app: AppBundle, for reason: StartReason, environment: [String: String]
    ) throws(SystemError) {
        var settings = environment.sorted { $0.key < $1.key }.map { "--setenv=\($0.key)=\($0.value)" }
        // The user's service manager has an environment of its own, which a session may have filled.
        if reason.isInBackground {
            settings.append("--property=UnsetEnvironment=\(Self.screen.joined(separator: " "))")
        }
        let program = "/proc/\(getpid())/fd/\(app.executable.descriptor.number)"
        let arguments =
            [systemdRun, "--user", "--quiet", "--collect", "--property=Type=exec", "--description=\(app.identifier)"]
            + settings + ["--", program, reason.argument]
        let status = try ChildRun.status(of: arguments, environment: environment, within: Self.patience)
        guard status == 0 else {
            throw SystemError("systemd-run", errno: ECHILD, path: app.identifier)
        }
    }
}

/// Runs a short helper program of the system, and waits for its end.
enum ChildRun {
    /// - Returns: the exit status. It is 128 or more if a signal ended the program.
    static func status(
        of arguments: [String], environment: [String: String], within limit: Duration
    ) throws(SystemError) -> Int32 {
        let child = try start(arguments, environment: environment)
        if !hasEnded(child, within: limit) { kill(child, SIGKILL) }
        var status: Int32 = 0
        // SAFETY: the call writes one number.
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private static func hasEnded(_ child: Int32, within limit: Duration) -> Bool {
        guard let handle = try? ProcessHandle(process: child) else { return false }
        return handle.descriptor.waitUntilReadable(until: MonotonicClock.deadline(after: limit))
    }

    private static func start(_ arguments: [String], environment: [String: String]) throws(SystemError) -> Int32 {
        var child: pid_t = 0
        // SAFETY: the lists end with null, the copies live until the call is over, and the actions are destroyed once.
        var list = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe (list + variables).forEach { unsafe free($0) }
        }
        for stream in STDIN_FILENO...STDERR_FILENO {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        let result = unsafe posix_spawn(&child, arguments[0], &actions, nil, &list, &variables)
        guard result == 0 else { throw SystemError("posix_spawn", errno: result, path: arguments[0]) }
        return child
    }
}
