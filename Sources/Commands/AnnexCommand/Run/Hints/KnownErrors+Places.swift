import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Hints about files, sockets and programs of the caller. The program's errors are about them, but do not name their
/// place. The caller's own home and environment say where they are.
extension KnownErrors {
    /// The options that hand over files of the caller's home. Nil if the caller has none of them, or the program has all.
    func files(_ names: [String], option: String, in row: HintRow) -> RunHint? {
        guard let home = UserEnvironment.path("HOME") else { return nil }
        let rights: PathRights = option == "--execute" ? [.read, .execute] : .read
        let grants = names.compactMap { name -> GrantOption? in
            let place = PathText.resolved(home + name.dropFirst())
            guard access(place, F_OK) == 0, isLacking(place, for: rights) else { return nil }
            return GrantOption(for: place, rights: rights, beside: policy)
        }
        guard !grants.isEmpty else { return nil }
        let choice = RunChoice(grants.flatMap { [$0.name, $0.path] })
        return RunHint(line: Self.line(row.hint, choices: [choice]), choices: [choice])
    }

    private func isLacking(_ place: String, for rights: PathRights) -> Bool {
        policy.isPrivate(place) || !policy.verdict(path: place, rights: rights).isAllowed
    }

    /// The hint about the first of these variables that names a socket of which the program lacks something.
    func socket(_ variables: [String], in row: HintRow) -> RunHint? {
        for variable in variables {
            guard let value = UserEnvironment.variable(variable),
                let path = SocketVariable.path(in: variable, value: value),
                Self.isSocket(path)
            else { continue }
            var options = missing(["--allow", "sockets"])
            if isLacking(path, for: []) {
                guard let grant = GrantOption(for: path, rights: .read, beside: policy) else { continue }
                options += [grant.name, grant.path]
            }
            if !given.variables.contains(variable) { options += ["--env", variable] }
            guard !options.isEmpty else { continue }
            let choice = RunChoice(options)
            let values = ["socket": "\(Escaped(path, limit: 500))", "variable": variable]
            return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
        }
        return nil
    }

    private static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    /// The hint about a program that the caller's shell finds and the program does not, because its directory was not
    /// handed over.
    func programOfPath(_ row: HintRow) -> RunHint? {
        let examination = PathExamination(policy)
        for name in errors.missingNames {
            // The program could have put links into a directory that it may write to.
            let place = CallersPath.first(name) { policy.verdict(path: $0, rights: .write).isAllowed && isShown($0) }
            guard let place, let finding = examination.finding(place, errno: ENOENT, makesFile: false),
                let grant = finding.grant
            else { continue }
            let path = given.variables.contains("PATH") ? [] : ["--env", "PATH"]
            let choice = RunChoice([grant.name, grant.path] + path)
            let values = ["program": "\(Escaped(name, limit: 200))", "place": "\(Escaped(place, limit: 500))"]
            return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
        }
        return nil
    }

    private func isShown(_ path: String) -> Bool { !policy.isPrivate(path) }

    /// The hint about the directory in which git keeps the data of a working tree. It may lie elsewhere, or above the
    /// working directory.
    func gitDirectory(_ row: HintRow) -> RunHint? {
        if errors.mention("not a git repository (or any") { return gitDirectoryAbove(row) }
        let examination = PathExamination(policy)
        for path in errors.printed {
            let parts = PathText.parts(PathText.resolved(path))
            guard let end = parts.firstIndex(of: ".git") else { continue }
            let place = "/" + parts[...end].joined(separator: "/")
            guard let finding = examination.finding(place, errno: ENOENT, makesFile: false),
                finding.fault == .notShown,
                let grant = GrantOption(for: finding.path, rights: [.read, .write], beside: policy)
            else { continue }
            let choice = RunChoice(grant.name, grant.path)
            let values = ["place": "\(PathText.shown(finding.path, limit: 500))"]
            return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
        }
        return nil
    }

    private func gitDirectoryAbove(_ row: HintRow) -> RunHint? {
        let examination = PathExamination(policy)
        var directory = given.directory ?? "/"
        while directory != "/" {
            let place = directory + "/.git"
            let finding = examination.finding(place, errno: ENOENT, makesFile: false)
            if finding?.fault == .notShown,
                let grant = GrantOption(for: directory, rights: [.read, .write], beside: policy)
            {
                let choice = RunChoice(grant.name, grant.path)
                let values = ["place": "\(PathText.shown(place, limit: 500))"]
                return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
            }
            directory = directory.parentPath
        }
        return nil
    }

    /// The hint about two places, between which nothing can be renamed or linked. One option for the directory above
    /// both makes one place of them.
    func between(_ row: HintRow) -> RunHint? {
        let places = given.written.map(\.path)
        guard let first = places.first, let last = places.last, first != last else { return nil }
        let above = zip(PathText.parts(first), PathText.parts(last)).prefix { $0 == $1 }.map { String($0.0) }
        let directory = "/" + above.joined(separator: "/")
        guard let grant = GrantOption(for: directory, rights: [.read, .write], beside: policy) else { return nil }
        let choice = RunChoice(grant.name, grant.path)
        return RunHint(line: Self.line(row.hint, choices: [choice]), choices: [choice])
    }
}

/// A variable of the environment that names a socket.
enum SocketVariable {
    /// The path of the socket; nil if the value names none.
    static func path(in variable: String, value: String) -> String? {
        switch variable {
        case "DISPLAY":
            guard value.hasPrefix(":"), let number = UInt16(value.dropFirst().prefix { $0 != "." }) else { return nil }
            return "/tmp/.X11-unix/X\(number)"
        case "WAYLAND_DISPLAY":
            if value.hasPrefix("/") { return value }
            return UserEnvironment.path("XDG_RUNTIME_DIR").map { PathText.resolved("\($0)/\(value)") }
        case "DBUS_SESSION_BUS_ADDRESS":
            let prefix = "unix:path="
            guard value.hasPrefix(prefix) else { return nil }
            return String(value.dropFirst(prefix.count).prefix { $0 != "," && $0 != ";" })
        default: return value.hasPrefix("/") ? value : nil
        }
    }
}
