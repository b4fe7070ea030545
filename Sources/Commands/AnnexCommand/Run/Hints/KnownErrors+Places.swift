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

    /// The path of a file of the caller's home (`~/NAME`), or of the socket that a variable names (`$NAME`); nil if there
    /// is none.
    func existing(_ place: String) -> String? {
        if place.hasPrefix("$") {
            let variable = String(place.dropFirst())
            guard let value = UserEnvironment.variable(variable) else { return nil }
            return SocketVariable.path(in: variable, value: value).flatMap { Self.isSocket($0) ? $0 : nil }
        }
        guard let home = UserEnvironment.path("HOME") else { return nil }
        let path = PathText.resolved(home + place.dropFirst())
        return access(path, F_OK) == 0 ? path : nil
    }

    /// The hint about a program that the caller's shell finds and the program does not, because its directory was not
    /// handed over.
    func programOfPath(_ row: HintRow) -> RunHint? {
        let examination = PathExamination(policy)
        for name in errors.missingNames {
            // The program could have put links into a directory that it may write to.
            let place = CallersPath.first(name) { policy.verdict(path: $0, rights: .write).isAllowed && isShown($0) }
            guard let place else { continue }
            let values = ["program": "\(Escaped(name, limit: 200))", "place": "\(Escaped(place, limit: 500))"]
            if let grant = examination.finding(place, errno: ENOENT, makesFile: false)?.grant {
                let choice = RunChoice(grant.name, grant.path)
                return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
            }
            if let hint = readOnlyProgram(place, by: examination, values: values) { return hint }
        }
        return nil
    }

    /// The hint about a program that may be read and not executed. Its directory is not on the program's PATH.
    private func readOnlyProgram(
        _ place: String, by examination: PathExamination, values: [String: String]
    ) -> RunHint? {
        guard let finding = examination.finding(place, errno: EACCES, makesFile: false),
            finding.fault == .notExecutable,
            let typed = GivenPaths.typed(given.read, containing: finding.path)
        else { return nil }
        let choice = RunChoice("--execute", typed)
        let line =
            "outside, {program} is {place}, which may be read and not executed: use {1} instead of --read "
            + ShellText.shown(typed)
        return RunHint(line: Self.line(line, choices: [choice], values: values), choices: [choice])
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
                let choice = repository(at: finding.path, isWorktree: parts.dropFirst(end + 1).first == "worktrees")
            else { continue }
            let values = ["place": "\(PathText.shown(finding.path, limit: 500))"]
            return RunHint(line: Self.line(row.hint, choices: [choice], values: values), choices: [choice])
        }
        return nil
    }

    /// The option that gives the repository of a working tree. The allowance finds the repository of a worktree, if the
    /// worktree itself was handed over.
    private func repository(at place: String, isWorktree: Bool) -> RunChoice? {
        if isWorktree, allowances.isMissing("git"),
            given.all.contains(where: { HostLookup.isFile(at: $0.path + "/.git") })
        {
            return RunChoice("--allow", "git")
        }
        return GrantOption(for: place, rights: [.read, .write], beside: policy).map { RunChoice($0.name, $0.path) }
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
                // A worktree has a file at this place. Its repository lies elsewhere.
                let isWorktree = HostLookup.isFile(at: place) && allowances.isMissing("git")
                let choice = RunChoice([grant.name, grant.path] + (isWorktree ? ["--allow", "git"] : []))
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
