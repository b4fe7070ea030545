import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// Explains an error about a path that is hidden from the program, or protected.
struct PartHint {
    let report: SandboxRunReport
    let given: GivenPaths

    /// - Returns: nil if the program stated no error about such a path.
    func hint(for errors: StatedErrors) -> RunHint? {
        // A program that replaces a protected file by a new one gets EBUSY.
        for stated in errors.lines where [0, EACCES, EPERM, EROFS, EBUSY].contains(stated.errno) {
            for path in stated.paths.map(PathText.resolved) {
                if let hint = hidden(path) ?? protected(path) { return hint }
            }
            let subjects = (stated.paths + stated.subjects).map(PathText.resolved)
            if stated.errno == EBUSY, let hint = subjects.lazy.compactMap(holding).first { return hint }
            if stated.errno == EBUSY, let part = named(in: stated.text) { return protected("\(part.path)") }
        }
        // The directory above a protected part is a mount of its own, and nothing is linked or moved from one mount to
        // another.
        for stated in errors.lines where stated.errno == EXDEV {
            let subjects = (stated.paths + stated.subjects).map(PathText.resolved)
            if let hint = subjects.lazy.compactMap(holdingAround).first { return hint }
        }
        return nil
    }

    /// The hint about a directory with something protected below it, in which a path lies.
    private func holdingAround(_ path: String) -> RunHint? {
        guard let place = given.written.first(where: { PathText.isPath(path, within: $0.path) }) else { return nil }
        var current = path
        while current != place.path, current != "/" {
            if let hint = holding(current) { return hint }
            current = current.parentPath
        }
        return nil
    }

    /// The protected part whose last two names a text contains. A program names a file from a directory of its own, as
    /// `git -C` does.
    private func named(in text: String) -> SandboxRunReport.ProtectedPart? {
        report.protectedParts.first { part in
            let end = PathText.parts("\(part.path)").suffix(2).joined(separator: "/")
            return end.contains("/") && text.contains(end)
        }
    }

    private func hidden(_ path: String) -> RunHint? {
        guard report.hiddenParts.contains(where: { Self.isPath(path, within: $0) }) else { return nil }
        let line = "\(PathText.shown(path)) is hidden from the program (--hide, --read-all-but or the policy)"
        return RunHint(line: CredentialPlaces().hold(path) ? line + RunHint.ofCredentials : line)
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
