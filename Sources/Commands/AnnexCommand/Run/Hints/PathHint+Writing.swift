import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Hints about places in which the program wants to write.
extension PathHint {
    /// The hint if the program wants to make something in a directory that is not handed over as a whole: no option may
    /// hand it over, or it contains what was handed over. An option can hand over what the program wants to make, if the
    /// user makes it first.
    func newPlace(
        _ finding: PathExamination.Finding, named path: String, by stated: StatedErrors.Line
    ) -> RunHint? {
        let path = PathText.resolved(path)
        let rest = PathText.parts(path).dropFirst(PathText.parts(finding.path).count)
        guard finding.rights.contains(.write), PathText.isPath(path, within: finding.path), let name = rest.first else {
            return nil
        }
        let made = rest.count > 1 ? .directory : stated.made
        let isRefused = finding.grant == nil && access(finding.path, W_OK) == 0
        let isAround = given.written.contains {
            PathText.isPath($0.path, within: finding.path) && !PathText.isSame($0.path, as: finding.path)
        }
        guard isRefused || isAround && made == .directory else { return nil }
        // Many programs share such a directory. So what is deeper is rather one program's own.
        let isShared = PathExamination.isShared(name: name)
        let names = rest.prefix(isShared ? 2 : 1)
        let place = finding.path + "/" + names.joined(separator: "/")
        // The program chose the name. So the place must be one that an option may hand over.
        guard PathExamination(policy).isMissing(place),
            let grant = GrantOption(for: place, rights: .write, beside: policy)
        else { return nil }
        let choice = RunChoice(grant.name, grant.path)
        let shown = ShellText.shown(place)
        let making = rest.count > names.count ? .directory : made
        return RunHint(
            line:
                "\(Escaped(place, limit: 500)) does not exist, and \(whole(finding.path)): make it first (\(Self.making(making, at: shown, isDeep: names.count > 1))), and "
                + "add \(choice.shown)")
    }

    private static func making(_ made: StatedErrors.Line.Made, at shown: String, isDeep: Bool) -> String {
        let directory = "mkdir \(isDeep ? "-p " : "")\(shown)"
        return switch made {
        case .directory: directory
        case .file: "touch \(shown)"
        case .any: "\(directory), or touch \(shown) if it is a file"
        }
    }

    private func whole(_ directory: String) -> String {
        let isHome = UserEnvironment.path("HOME").flatMap(GivenPaths.resolved).map {
            PathText.isSame($0, as: directory)
        }
        let shown = isHome == true ? "your home" : "\(Escaped(directory, limit: 500))"
        return "\(shown) is not handed over as a whole"
    }

    /// The hint if the program wants to write where the user keeps keys. The program chose the name, so no hint offers such
    /// a place.
    func keys(_ finding: PathExamination.Finding, named path: String) -> RunHint? {
        let parts = PathText.parts(PathText.resolved(path))
        guard finding.rights.contains(.write), let end = parts.firstIndex(where: { [".ssh", ".gnupg"].contains($0) })
        else {
            return nil
        }
        let place = "/" + parts[...end].joined(separator: "/")
        return RunHint(
            line:
                "\(PathText.shown(place, limit: 500)) is for keys, and no hint offers it: let the program make the file in a "
                + "directory that you hand over, and move it there yourself")
    }

    /// The hint if the program wants to change a hook of git. With the allowance `git`, hooks are executed and protected.
    func hook(_ finding: PathExamination.Finding) -> RunHint? {
        let parts = PathText.parts(finding.path)
        guard finding.rights == .write, !allowances.isMissing("git"), given.typedForWriting(finding.path) != nil,
            let git = parts.firstIndex(of: ".git"), parts.dropFirst(git + 1).first == "hooks"
        else { return nil }
        let choice = RunChoice("--unprotect", "git")
        return tried.without(
            RunHint(
                line:
                    "\(PathText.shown(finding.path, limit: 500)) is protected, because git executes it outside the sandbox "
                    + "too: to let the program change it, add \(choice.shown)", choices: [choice]))
    }

    /// The option that lets the program also change a directory of the caller that it did not find. It stands beside the
    /// option for reading, because the program's error does not say what the program wants there.
    func writing(_ finding: PathExamination.Finding) -> RunChoice? {
        guard finding.rights == .read, finding.fault == .notShown, let grant = finding.grant, grant.name == "--read",
            PathText.isSame(grant.path, as: finding.path), Self.isChangeable(finding.path),
            let writing = GrantOption(for: finding.path, rights: [.read, .write], beside: policy)
        else { return nil }
        return RunChoice(
            writing.name, grant.path == SandboxProgram.callersDirectory ? "." : writing.path,
            purpose: "to let the program change it")
    }

    /// Whether a path is a directory that belongs to the caller. For root, it must lie in root's home.
    private static func isChangeable(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & S_IWUSR != 0
        else { return false }
        return geteuid() != 0 || UserEnvironment.path("HOME").map { PathText.isPath(path, within: $0) } == true
    }

    // MARK: - Errors without a path

    /// The hint if the program could not write something that its error does not name.
    func hint(unnamedIn errors: StatedErrors) -> RunHint? {
        let lines = errors.lines.filter(\.isAboutUnnamedFile)
        guard !lines.isEmpty else { return nil }
        if lines.contains(where: { $0.errno == EBUSY }), let hint = ownPlace() { return hint }
        let isWriting = lines.contains {
            // A database with a journal of its own (WAL) makes files beside itself even for a reader.
            $0.makesFile || $0.errno == EROFS || $0.text.lowercased().contains("readonly")
                || $0.text.lowercased().contains("open database file")
        }
        return (isWriting ? readOnly(among: errors.printed) : nil).flatMap(tried.without)
            ?? besideFile().flatMap(tried.without)
            ?? (isWriting ? readOnly(among: given.read.count == 1 ? given.read.map(\.path) : []) : nil).flatMap(
                tried.without)
    }

    /// The hint about the first of these paths that was handed over for reading only.
    private func readOnly(among paths: [String]) -> RunHint? {
        for path in paths.map(PathText.resolved) {
            guard let typed = GivenPaths.typed(given.read, containing: path), given.typedForWriting(path) == nil,
                let place = GivenPaths.resolved(typed),
                GrantOption(for: place, rights: [.read, .write], beside: policy)?.name == "--write"
            else { continue }
            let isFile = HostLookup.isFile(at: place)
            if isFile, let hint = beside(place, typed: typed, option: "--read") { return hint }
            let choice = RunChoice("--write", typed)
            return RunHint(
                line:
                    "the program failed at writing, and \(ShellText.shown(typed)) may only be read: use \(choice.shown) "
                    + "instead of --read \(ShellText.shown(typed))", choices: [choice])
        }
        return nil
    }

    /// The hint if the program may change a file, and not the directory of the file. Many programs make other files there:
    /// journals, locks, and new versions that then take the place of the file.
    private func besideFile() -> RunHint? {
        for (typed, path) in given.write where HostLookup.isFile(at: path) {
            if let hint = beside(path, typed: typed, option: "--write") { return hint }
        }
        return nil
    }

    private func beside(_ path: String, typed: String, option: String) -> RunHint? {
        let directory = path.parentPath
        guard given.typedForWriting(directory) == nil,
            let grant = GrantOption(for: directory, rights: [.read, .write], beside: policy)
        else { return nil }
        let choice = RunChoice(grant.name, grant.path == SandboxProgram.callersDirectory ? "." : grant.path)
        // A file that stays handed over for reading stays what it is, so the option alone does not help.
        let choices = option == "--write" ? [choice] : []
        return RunHint(
            line:
                "perhaps the program makes files beside \(ShellText.shown(typed)), such as a journal, a lock or a new "
                + "version: use \(choice.shown) instead of \(option) \(ShellText.shown(typed))", choices: choices)
    }

    /// The hint about a file that was handed over beside its own directory. It is a place of its own, and nothing takes
    /// the place of it.
    private func ownPlace() -> RunHint? {
        for (typed, path) in given.write where HostLookup.isFile(at: path) {
            guard let directory = given.typedForWriting(path.parentPath) else { continue }
            let (file, whole) = (RunChoice("--write", typed).shown, RunChoice("--write", directory).shown)
            return RunHint(
                line:
                    "\(ShellText.shown(typed)) is handed over as a place of its own, which no other file can replace: leave "
                    + "\(file) out, because \(whole) includes it")
        }
        return nil
    }

    /// The file that an option for writing handed over, if another option is for the directory of this file.
    func replacedFile(by grant: GrantOption) -> String? {
        guard grant.name == "--write" else { return nil }
        return given.write.last {
            PathText.isSame($0.path.parentPath, as: grant.path) && HostLookup.isFile(at: $0.path)
        }?
        .typed
    }
}
