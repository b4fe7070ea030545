internal import AnnexPolicy

extension PolicyLint {
    func paths() -> [PolicyFinding] { grants() + parts() + unusedCalls() + unseenByLandlock() }

    /// Parts that take nothing away.
    private func parts() -> [PolicyFinding] {
        policy.paths.parts.compactMap { part in
            guard case .place(let path) = part.pattern.form else { return nil }
            let around = policy.paths.grants.last { PathText.isPath(path, within: $0.path) }
            let word = part.kind == .hide ? "hides" : "protects"
            if around == nil {
                return PolicyFinding(
                    "\(word) \(path), which no grant shows: this has an effect only in a directory that a caller hands over",
                    at: part.place, remedy: "leave the pattern out, or grant the directory around the path")
            }
            guard part.kind == .protect, around?.rights.contains(.write) == false else { return nil }
            return PolicyFinding(
                "protects \(path), where the policy does not grant `write`", at: part.place,
                remedy: "leave the pattern out")
        }
    }

    private func grants() -> [PolicyFinding] {
        policy.paths.grants.flatMap { grant in
            DangerousCalls.paths.filter { danger in
                PathText.isPath(danger.path, within: grant.path) || PathText.isPath(grant.path, within: danger.path)
            }
            .filter { !$0.isOnlyWritten || grant.rights.contains(.write) }
            .filter { $0.isWhole || PathText.isPath($0.path, within: grant.path) || !$0.isOnlyWritten }
            .prefix(1)
            .map { danger in
                PolicyFinding(
                    "grants \(grant.rights) on \(grant.path): \(danger.why)", at: grant.place,
                    remedy: "grant only the files that are needed")
            }
        }
    }

    /// Calls that need a path, in a policy without paths.
    private func unusedCalls() -> [PolicyFinding] {
        guard policy.visiblePaths.isEmpty else { return [] }
        let found = ["openat", "open", "openat2", "creat"].compactMap { allowing($0) }
        guard let first = found.first else { return [] }
        return [
            PolicyFinding(
                "allows `\(first.call)` but grants no path: no file exists in the sandbox", at: first.place,
                remedy: "state `paths`, or refuse the call with ENOENT")
        ]
    }

    /// Calls that change a file's attributes. Landlock has no right for these calls, so only a read-only mount refuses
    /// them.
    private func unseenByLandlock() -> [PolicyFinding] {
        guard policy.paths.grants.contains(where: { !$0.rights.contains(.write) }) else { return [] }
        let calls = [
            "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "setxattr", "fsetxattr",
        ]
        let found = calls.compactMap { allowing($0) }
        guard let first = found.first else { return [] }
        let names = found.map(\.call).joined(separator: ", ")
        return [
            PolicyFinding(
                "allows \(names): Landlock has no right for this, so on paths without `write` only the mount "
                    + "refuses it",
                at: first.place, remedy: "leave out the calls that the program does not need")
        ]
    }

    func contradictions() -> [PolicyFinding] {
        var findings: [PolicyFinding] = []
        let makers = ["clone", "clone3", "fork", "vfork"].compactMap { allowing($0) }
        if let first = makers.first, policy.limits.processes == 1 {
            findings.append(
                PolicyFinding(
                    "allows `\(first.call)`, but `limits: processes` is 1: the call always fails", at: first.place,
                    remedy: "raise `limits: processes` to the number of processes and threads"))
        }
        if policy.network != .none, allowing("socket") == nil {
            findings.append(
                PolicyFinding(
                    "`network: \(policy.network.rawValue)` has no effect: no rule allows `socket`",
                    at: policy.places[.network], remedy: "allow `socket` for the families that are needed"))
        }
        let runs = allowing("execve") ?? allowing("execveat")
        if let runs, !policy.visiblePaths.contains(where: { $0.rights.contains(.execute) }) {
            findings.append(
                PolicyFinding(
                    "allows `\(runs.call)`, but no path can be executed", at: runs.place,
                    remedy: "grant `execute` on the paths of the programs"))
        }
        return findings + evaded()
    }

    /// Rules that compare all 64 bits of an argument, although the kernel reads only 32 bits of it.
    private func evaded() -> [PolicyFinding] {
        policy.rules.values.joined().filter { $0.answer == .allow }.compactMap { rule in
            let call = SystemCall(named: rule.call, architecture: policy.architecture)
            guard rule.conditions.contains(where: { $0.isEvaded(in: call) }) else { return nil }
            return PolicyFinding(
                "allows every `\(rule.call)` if a bit is set in the argument's upper half, "
                    + "which the kernel does not read",
                at: rule.place, remedy: "compare without `register:`")
        }
    }
}
