import AnnexLaunch
import AnnexLinux
import AnnexPolicy
internal import AnnexSandbox
import Glibc

/// Hints about a place that was handed over and that the program wanted to remove or rename. In the sandbox, such a place
/// is a mount point, and the directory around it belongs to nobody who may change it.
extension PathHint {
    func placeItself(_ errors: StatedErrors) -> RunHint? {
        guard errors.mention("remove", "rename", "move", "unlink", "rmdir", "rmtree", "delete") else { return nil }
        let lines = errors.lines.filter { [EACCES, EPERM, EBUSY, EROFS].contains($0.errno) }
        for path in lines.lazy.flatMap({ names(in: $0) }) {
            for option in ["--write", "--write-execute"] {
                guard let pair = given.pairs(of: option).last(where: { PathText.isSame($0.path, as: path) }) else {
                    continue
                }
                return around(pair, handedOverBy: option)
            }
        }
        return nil
    }

    private func names(in line: StatedErrors.Line) -> [String] {
        StatedErrors.names(in: line.text).compactMap { name in
            if name.hasPrefix("/") { return PathText.resolved(name) }
            return given.directory.map { PathText.resolved($0 + "/" + name) }
        }
    }

    private func around(_ pair: GivenPaths.Pair, handedOverBy option: String) -> RunHint? {
        let place = RunChoice(option, pair.typed).shown
        let directory = pair.path.parentPath
        let fault = "\(ShellText.shown(pair.typed)) is handed over as a place of its own, which can be neither removed "
        if let outer = given.typedForWriting(directory) {
            let line = "nor renamed: leave \(place) out, because \(RunChoice("--write", outer).shown) includes it"
            return RunHint(line: fault + line)
        }
        guard GrantOption.danger(of: directory, [.read, .write]) == nil,
            GrantOption(for: directory, rights: [.read, .write], beside: policy) != nil
        else { return RunHint(line: fault + "nor renamed, and no option hands over the directory around it") }
        let whole = RunChoice(option, directory == SandboxProgram.callersDirectory ? "." : directory)
        return RunHint(
            line: fault + "nor renamed: use \(whole.shown) instead of \(place)", choices: [whole])
    }
}
