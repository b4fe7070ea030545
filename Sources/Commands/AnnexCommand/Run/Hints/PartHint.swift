import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// Explains an error about a path that is hidden from the program, or protected.
struct PartHint {
    let report: SandboxRunReport

    /// - Returns: nil if the program stated no error about such a path.
    func hint(for errors: StatedErrors) -> RunHint? {
        // A program that replaces a protected file by a new one gets EBUSY.
        for stated in errors.lines where [0, EACCES, EPERM, EROFS, EBUSY].contains(stated.errno) {
            for path in stated.paths.map(PathText.resolved) {
                if let hint = hidden(path) ?? protected(path) { return hint }
                if stated.errno == EBUSY, let hint = holding(path) { return hint }
            }
        }
        return nil
    }

    private func hidden(_ path: String) -> RunHint? {
        guard report.hiddenParts.contains(where: { Self.isPath(path, within: $0) }) else { return nil }
        let isCredential = ((try? ShippedParts.credentials()) ?? []).contains { $0.path == path }
        guard isCredential else {
            return RunHint(
                line: "\(PathText.shown(path)) is hidden from the program (--hide, --read-all-but or the policy)")
        }
        let choice = RunChoice("--read", path)
        return RunHint(
            line: "\(PathText.shown(path)) is hidden, because it holds credentials: to hand it over nevertheless, add "
                + choice.shown,
            choices: [choice])
    }

    private func protected(_ path: String) -> RunHint? {
        guard let part = report.protectedParts.first(where: { Self.isPath(path, within: $0.path) }) else { return nil }
        guard let group = part.group else {
            return RunHint(line: "\(PathText.shown(path)) is protected from the program (--protect or the policy)")
        }
        let choice = RunChoice("--unprotect", group)
        return RunHint(
            line:
                "\(PathText.shown(path)) is protected, because programs outside the sandbox execute what it names: to let "
                + "the program change it, add \(choice.shown)",
            choices: [choice])
    }

    /// The hint about a directory with something protected below it. It can be neither renamed nor removed.
    private func holding(_ path: String) -> RunHint? {
        let parts = report.protectedParts.filter {
            PathText.isPath("\($0.path)", within: "\(Escaped(path, limit: 8_192))")
        }
        guard let first = parts.first else { return nil }
        let line = "\(PathText.shown(path)) holds \(first.path), which is protected from the program"
        var groups: [String] = []
        for part in parts {
            guard let group = part.group else { return RunHint(line: line + " (--protect or the policy)") }
            if !groups.contains(group) { groups.append(group) }
        }
        let choice = RunChoice(groups.flatMap { ["--unprotect", $0] })
        return RunHint(line: line + ": to let the program change it, add \(choice.shown)", choices: [choice])
    }

    /// Escaped paths are compared as they are shown, because the report has no others.
    private static func isPath(_ path: String, within part: Escaped) -> Bool {
        PathText.isPath("\(Escaped(path, limit: 8_192))", within: "\(part)")
    }
}
