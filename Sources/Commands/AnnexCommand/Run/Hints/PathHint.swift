import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Explains an error about a path that the program named.
struct PathHint {
    let policy: Policy
    let given: GivenPaths

    func hint(for errors: StatedErrors) -> RunHint? {
        let examination = PathExamination(policy)
        for stated in errors.lines where [0, ENOENT, EACCES, EPERM, EROFS].contains(stated.errno) {
            for path in stated.paths {
                if let hint = scratchHint(path, errno: stated.errno) { return hint }
                let finding = examination.finding(path, errno: stated.errno, makesFile: stated.makesFile)
                if let finding { return hint(finding) }
            }
        }
        return nil
    }

    /// Nothing in the scratch directory can be executed, and the file there is gone when the program has ended.
    private func scratchHint(_ path: String, errno: Int32) -> RunHint? {
        let path = PathText.resolved(path)
        let place = policy.visiblePaths.last { PathText.isPath(path, within: $0.path) }?.path
        guard errno == EACCES, let scratch = policy.paths.scratch?.path, place == scratch else { return nil }
        return temporaryHint("\(Escaped(path, limit: 500)): nothing in \(scratch) is executed")
    }

    /// The way to execute files in the directory for temporary files.
    func temporaryHint(_ fault: String) -> RunHint {
        let effect = "Files that the program writes there can then be executed"
        // Go takes no module for its own whose directory is the one for temporary files. So the hint names a directory in it.
        guard let place = (given.writeExecute + given.write).last else {
            return RunHint(
                line: "\(fault): add --write-execute DIR --env TMPDIR=DIR with a directory of yours. \(effect)")
        }
        let directory = Escaped(ShellText.quoted(place.path + "/tmp"), limit: 1_000)
        let typed = Escaped(ShellText.quoted(place.typed), limit: 500)
        let isExecuted = given.writeExecute.contains { $0.path == place.path }
        let option = isExecuted ? "add" : "use --write-execute \(typed) instead of --write \(typed), with"
        return RunHint(
            line: "\(fault): make a directory for temporary files (mkdir \(directory)), and \(option) "
                + "--env TMPDIR=\(directory). \(effect)")
    }

    private func hint(_ finding: PathExamination.Finding) -> RunHint {
        let path = Escaped(finding.path, limit: 500)
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

    private func remedy(_ finding: PathExamination.Finding) -> RunHint {
        if let grant = finding.grant {
            let choice = RunChoice(grant.name, grant.path == SandboxProgram.callersDirectory ? "." : grant.path)
            return RunHint(line: ": add \(Escaped(choice.text, limit: 8_192))", choices: [choice])
        }
        let danger = PathText.danger(finding.path, rights: .read)
        return RunHint(line: danger.map { ", and no option hands it over: \($0)" } ?? "")
    }

    /// If a directory with the file was handed over for reading, all of it can be executed by the same words.
    private func execution(_ finding: PathExamination.Finding) -> RunHint {
        guard let given = GivenPaths.typed(given.read, containing: finding.path) else { return remedy(finding) }
        let choice = RunChoice("--execute", given)
        return RunHint(line: ": use \(choice.text) instead of --read \(ShellText.quoted(given))", choices: [choice])
    }

    private func written(_ finding: PathExamination.Finding) -> RunHint {
        guard let given = GivenPaths.typed(given.write, containing: finding.path) else { return RunHint(line: "") }
        let (choice, later) = (RunChoice("--write-execute", given), RunChoice("--execute", given))
        return RunHint(
            line: ". Run it in a second command (annex run \(later.text) -- \(ShellText.quoted(finding.path))), or use "
                + "\(choice.text) instead of --write \(ShellText.quoted(given)), which gives this protection up",
            choices: [choice])
    }
}
