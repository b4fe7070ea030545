import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Explains an error about a path that the program named.
struct PathHint {
    let policy: Policy
    let given: GivenPaths

    func line(for errors: StatedErrors) -> String? {
        let examination = PathExamination(policy)
        for stated in errors.lines where [ENOENT, EACCES, EPERM, EROFS].contains(stated.errno) {
            for path in stated.paths {
                if let line = scratchLine(path, errno: stated.errno) { return line }
                let finding = examination.finding(path, errno: stated.errno, makesFile: stated.makesFile)
                if let finding { return line(finding) }
            }
        }
        return nil
    }

    /// Nothing in the scratch directory can be executed, and the file there is gone when the program has ended.
    private func scratchLine(_ path: String, errno: Int32) -> String? {
        let path = PathText.resolved(path)
        let place = policy.visiblePaths.last { PathText.isPath(path, within: $0.path) }?.path
        guard errno == EACCES, let scratch = policy.paths.scratch?.path, place == scratch else { return nil }
        return
            "\(Escaped(path, limit: 500)): nothing in \(scratch) is executed: add --write-execute DIR --env TMPDIR=DIR with a "
            + "directory of yours. Files that the program writes there can then be executed"
    }

    private func line(_ finding: PathExamination.Finding) -> String {
        let path = Escaped(finding.path, limit: 500)
        switch finding.fault {
        case .notShown: return "\(path) was not handed over\(remedy(finding))"
        case .notWritable: return "\(path) may be read and not written\(remedy(finding))"
        case .notExecutable: return "\(path) may be read and not executed\(execution(finding))"
        case .writtenCode: return "\(path): what the program can write is not executed\(written(finding))"
        }
    }

    private func remedy(_ finding: PathExamination.Finding) -> String {
        if let option = finding.option { return ": add \(Escaped(shortened(option), limit: 8_192))" }
        return PathText.danger(finding.path, rights: .read).map { ", and no option hands it over: \($0)" } ?? ""
    }

    /// The option with `.` for the working directory.
    private func shortened(_ option: String) -> String {
        guard let here = SandboxProgram.callersDirectory, option.hasSuffix(" " + ShellText.quoted(here)) else {
            return option
        }
        return option.dropLast(ShellText.quoted(here).count) + "."
    }

    /// If a directory with the file was handed over for reading, all of it can be executed by the same words.
    private func execution(_ finding: PathExamination.Finding) -> String {
        guard let given = GivenPaths.typed(given.read, containing: finding.path) else { return remedy(finding) }
        return ": use --execute \(ShellText.quoted(given)) instead of --read \(ShellText.quoted(given))"
    }

    private func written(_ finding: PathExamination.Finding) -> String {
        guard let given = GivenPaths.typed(given.write, containing: finding.path) else { return "" }
        let shown = ShellText.quoted(given)
        return
            ". Run it in a second command (annex run --execute \(shown) -- \(ShellText.quoted(finding.path))), or use "
            + "--write-execute \(shown) instead of --write \(shown), which gives this protection up"
    }
}
