import AnnexLaunch
import AnnexLinux
internal import AnnexSandbox
import Glibc

/// Why a program that root started cannot use a path that was handed over, although root can use it.
struct OwnerHints {
    private let report: SandboxRunReport
    /// Whether the program stated that it may not use a file.
    private let isRefused: Bool

    init(_ report: SandboxRunReport, isRefused: Bool) {
        self.report = report
        self.isRefused = isRefused
    }

    /// One line for each path that the program cannot use because of its owner and mode.
    /// - Parameters:
    ///   - read: the paths that were handed over for reading or executing.
    ///   - written: the paths that were handed over for writing.
    func lines(read: [String], written: [String]) -> [String] {
        guard geteuid() == 0, report.reason == .exited, report.exitCode != 0 else { return [] }
        return written.compactMap { line($0, wanted: 0o002, word: "writable") }
            + read.compactMap { line($0, wanted: 0o004, word: "readable") }
    }

    private func line(_ path: String, wanted: mode_t, word: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let isClosed = status.st_mode & wanted == 0
        guard status.st_uid == 0 else { return isClosed ? Self.line(about: path, of: status) : nil }
        guard let place = foreign(path), isClosed || isRefused && place.part != nil else { return nil }
        return Self.line(about: path, of: status, word: word, in: place)
    }

    /// The line about a closed path of root's in a place where root's files do not belong to the program.
    static func line(
        about path: String, of status: stat, word: String = "readable", in place: SandboxRunReport.ForeignPlace
    ) -> String {
        // If the mode were wider, the program could change the part that must not be changed.
        if let part = place.part {
            return "root's files in \(place.path) are not the program's own, because \(place.reason): add "
                + RunChoice("--read", part).shown
        }
        return "\(shown(path, of: status)) must be \(word) for others: a program that root starts runs as a user of "
            + "its own, and \(place.reason)"
    }

    /// The line about a path of another user.
    static func line(about path: String, of status: stat) -> String {
        "\(shown(path, of: status)) belongs to uid \(status.st_uid), and a program that root starts gets only "
            + "root's files: run annex as that user, for example: \(command(as: status.st_uid, group: status.st_gid)) annex run …"
    }

    private static func shown(_ path: String, of status: stat) -> String {
        "\(Escaped(path, limit: 4_096)) (mode \(String(status.st_mode & 0o7777, radix: 8)))"
    }

    /// The command that runs another one with the rights of a user, and with no group of root. A user without an entry
    /// in `/etc/passwd` gets the group of the file.
    static func command(as user: uid_t, group: gid_t) -> String {
        guard let account = Account(user) else {
            return "setpriv --reuid \(user) --regid \(group == 0 ? user : group) --clear-groups"
        }
        return "setpriv --reuid \(user) --regid \(account.group) --init-groups env "
            + "HOME=\(ShellText.shown(account.home))"
    }

    /// The place at this path, if root's files there do not belong to the program.
    private func foreign(_ path: String) -> SandboxRunReport.ForeignPlace? {
        guard let real = GivenPaths.resolved(path) else { return nil }
        return report.foreignPlaces.first { $0.path == Escaped(real, limit: 8_192) }
    }
}
