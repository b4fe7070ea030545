import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Explains an error about a path that the program named.
struct PathHint {
    let policy: Policy
    let allowances: Allowances
    let given: GivenPaths
    /// The options of this run. They have not helped.
    var tried = TriedOptions()
    /// Whether another hint has said that the program may not write in a place because of the place's owner. Then a
    /// missing right to write is not the cause.
    var isAboutOwner = false
    /// Whether the policy denied a call with `EPERM`, such as `chmod`. Then a path beside this error is what the call
    /// was about, and lacks nothing.
    var isCallRefused = false
    /// HOME of the program, if it lies in the program's own directory.
    var home: ProgramsHome?
    /// The places in which root's files do not belong to the program of root.
    var foreignPlaces: [SandboxRunReport.ForeignPlace] = []

    /// The most paths that are examined. Each examination asks the kernel a few times.
    static let most = 256

    func hint(for errors: StatedErrors) -> RunHint? {
        let examination = PathExamination(policy, directory: given.directory)
        let lines = errors.lines.filter {
            [0, ENOENT, EACCES, EPERM, EROFS].contains($0.errno) && !($0.errno == EPERM && isCallRefused)
        }
        if let hint = placeItself(errors).flatMap(tried.without) { return hint }
        // A path that no option hands over is the cause only if no other path is.
        var hopeless: RunHint?
        for (stated, path) in lines.lazy.flatMap({ line in line.paths.map { (line, $0) } }).prefix(Self.most) {
            if let hint = scratchHint(path, errno: stated.errno, by: examination).flatMap(tried.without) { return hint }
            if stated.errno == EACCES, let closed = closedFile.hint(path).flatMap(tried.without) { return closed }
            let finding = examination.finding(
                path, errno: stated.errno, makesFile: stated.makesFile, opensFile: stated.opensFile)
            if isAboutOwner, stated.errno == EACCES, finding?.rights.contains(.write) == true { continue }
            guard let finding else {
                if let hint = homeHint(path, in: stated) { return hint }
                continue
            }
            if let hint = keys(finding, named: path) { return hint }
            if let hint = newPlace(finding, named: path, by: stated) { return hint }
            if let hint = hook(finding) { return hint }
            guard let hint = tried.without(hint(finding)) else { continue }
            if !hint.choices.isEmpty || finding.fault == .writtenCode { return hint }
            hopeless = hopeless ?? hint
        }
        return hopeless
    }

    /// The hint about a path that the program printed without an error that is known. The host has the path, the sandbox
    /// does not, and an option hands it over.
    func hint(printed errors: StatedErrors) -> RunHint? {
        let examination = PathExamination(policy, directory: given.directory)
        for path in errors.printed {
            if let hint = homeHint(path) { return hint }
            guard let finding = examination.finding(path, errno: ENOENT, makesFile: false),
                finding.fault == .notShown, finding.grant != nil, !policy.isHiddenProcessFile(finding.path)
            else { continue }
            if let hint = tried.without(hint(finding)) { return hint }
        }
        return nil
    }

    var closedFile: ClosedFileHint {
        ClosedFileHint(policy: policy, given: given, foreignPlaces: foreignPlaces)
    }

    private func homeHint(_ path: String, in line: StatedErrors.Line? = nil) -> RunHint? {
        home.flatMap { HomeHint(home: $0, policy: policy).hint(path, in: line) }
    }

    /// The hint if a file could not be executed and lies in the scratch directory, the private directory in memory.
    /// Files in this directory can be executed only if an option `--write-execute` is given.
    private func scratchHint(_ path: String, errno: Int32, by examination: PathExamination) -> RunHint? {
        let path = PathText.resolved(path)
        if [path, path.parentPath].contains(where: examination.isLeading) { return nil }
        let place = policy.visiblePaths.last { PathText.isPath(path, within: $0.path) }?.path
        guard errno == EACCES, let scratch = policy.paths.scratch?.path, place == scratch else { return nil }
        return temporaryHint("\(PathText.shown(path, limit: 500)): nothing in \(scratch) is executed")
    }

    /// The hint that says how the program can execute files in the directory for temporary files; nil if it may already
    /// execute them.
    func temporaryHint(_ fault: String) -> RunHint? {
        guard !policy.paths.scratchRights.contains(.execute) else { return nil }
        guard let typed = given.write.last?.typed else {
            return RunHint(
                line:
                    "\(fault): add --write-execute DIR with a directory of yours. Then files that the program writes there, "
                    + "or for temporary use, can be executed")
        }
        let choice = RunChoice("--write-execute", typed)
        return RunHint(
            line: "\(fault): use \(choice.shown) instead of --write "
                + "\(ShellText.shown(typed)), which gives this protection up, also there",
            choices: [choice])
    }

    func hint(_ finding: PathExamination.Finding) -> RunHint {
        if policy.isHiddenProcessFile(finding.path), finding.fault == .notShown { return kernelFile(finding.path) }
        let path = PathText.shown(finding.path, limit: 500)
        let (fault, remedy): (String, RunHint) =
            switch finding.fault {
            case .notShown: ("was not handed over", self.remedy(finding))
            case .notReadable: ("may not be listed", self.remedy(finding))
            case .notWritable: ("may be read and not written", self.remedy(finding))
            case .notExecutable: ("may be read and not executed", execution(finding))
            case .writtenCode: ("was written by the program, or could be, and is not executed", written(finding))
            }
        return RunHint(line: "\(path) \(fault)\(remedy.line)", choices: remedy.choices)
    }

    /// The hint for a file of the kernel that the sandbox's `/proc` does not show.
    private func kernelFile(_ path: String) -> RunHint {
        let choices = allowances.giving(.processFiles(.full)).map { RunChoice(allowing: $0) }
        let options = choices.map(\.shown).joined(separator: " or ")
        return RunHint(
            line:
                "\(PathText.shown(path, limit: 500)) is a file of the kernel, which tells of this machine: add \(options)",
            choices: choices)
    }

    private func remedy(_ finding: PathExamination.Finding) -> RunHint {
        let named =
            finding.fault == .notShown
            ? RunRemedy.allowances(for: finding.path, rights: finding.rights, among: allowances) : []
        if let choice = named.first { return RunHint(line: ": add \(choice.shown)", choices: [choice]) }
        if let grant = finding.grant {
            let choice = RunChoice(grant.name, grant.path == SandboxProgram.callersDirectory ? "." : grant.path)
            let choices = [choice] + (writing(finding).map { [$0] } ?? [])
            let stated = choices.map(\.stated).joined(separator: ", or ")
            let file = replacedFile(by: grant).map { " instead of \(RunChoice("--write", $0).shown)" } ?? ""
            return RunHint(line: replaced(by: grant) + stated + file, choices: choices)
        }
        let danger =
            PathText.isUTF8(finding.path)
            ? GrantOption.danger(of: finding.path, finding.rights.union(.read))
            : "its path is not UTF-8. Rename it, or hand over the directory around it"
        return RunHint(line: danger.map { ", and no option hands it over: \($0)" } ?? "")
    }

    /// The words before an option. `--write-execute` takes the place of the option that gave the same path before.
    private func replaced(by grant: GrantOption) -> String {
        guard grant.name == "--write-execute" else { return replacedFile(by: grant) == nil ? ": add " : ": use " }
        let before = ["--write", "--execute"].first { name in
            given.pairs(of: name).contains { PathText.isSame($0.path, as: grant.path) }
        }
        guard let before else { return ": let the program execute what it writes there: use " }
        return ": let the program execute what it writes there, in place of \(before): use "
    }

    /// The remedy for a file that cannot be executed. If `--read` handed over a directory with the file, the hint
    /// proposes `--execute` for the same directory.
    private func execution(_ finding: PathExamination.Finding) -> RunHint {
        guard let given = GivenPaths.typed(given.read, containing: finding.path) else { return remedy(finding) }
        let choice = RunChoice("--execute", given)
        return RunHint(line: ": use \(choice.shown) instead of --read \(ShellText.shown(given))", choices: [choice])
    }

    private func written(_ finding: PathExamination.Finding) -> RunHint {
        guard let given = GivenPaths.typed(given.write, containing: finding.path) else { return RunHint(line: "") }
        let (choice, later) = (RunChoice("--write-execute", given), RunChoice("--execute", given))
        return RunHint(
            line: ". Run it in a second command (annex run \(later.shown) -- \(ShellText.shown(finding.path))), or use "
                + "\(choice.shown) instead of --write \(ShellText.shown(given)), which gives this protection up",
            choices: [choice])
    }
}
