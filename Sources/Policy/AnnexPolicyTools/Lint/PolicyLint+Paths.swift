internal import AnnexPolicy

extension PolicyLint {
    func paths() -> [PolicyFinding] { grants() + unusedCalls() + unseenByLandlock() }

    private func grants() -> [PolicyFinding] {
        policy.paths.grants.flatMap { grant in
            DangerousCalls.paths.filter { danger in
                PathText.isWithin(danger.path, grant.path) || PathText.isWithin(grant.path, danger.path)
            }
            .filter { !$0.isOnlyWritten || grant.rights.contains(.write) }
            .filter { $0.isWhole || PathText.isWithin($0.path, grant.path) || !$0.isOnlyWritten }
            .prefix(1)
            .map { danger in
                PolicyFinding(
                    "grants \(grant.rights) on \(grant.path): \(danger.why)", at: grant.place,
                    remedy: "grant the files that are needed")
            }
        }
    }

    /// Calls that need a path in a policy that has none.
    private func unusedCalls() -> [PolicyFinding] {
        guard policy.visiblePaths.isEmpty else { return [] }
        let found = ["openat", "open", "openat2", "creat"].compactMap { allowing($0) }
        guard let first = found.first else { return [] }
        return [
            PolicyFinding(
                "allows `\(first.call)` and grants no path: every file is missing", at: first.place,
                remedy: "state `paths`, or refuse the call with ENOENT")
        ]
    }

    /// Calls that change a file's attributes. Landlock has no right for them, so only a read-only mount refuses them.
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
                "allows \(names): Landlock knows no such right, so on paths without `write` only the mount refuses it",
                at: first.place, remedy: "leave them out where the program does without")
        ]
    }

    func contradictions() -> [PolicyFinding] {
        var findings: [PolicyFinding] = []
        let makers = ["clone", "clone3", "fork", "vfork"].compactMap { allowing($0) }
        if let first = makers.first, policy.limits.processes == 1 {
            findings.append(
                PolicyFinding(
                    "allows `\(first.call)`, and `limits: processes` is 1: it always fails", at: first.place,
                    remedy: "state how many processes and threads there may be"))
        }
        if policy.network != .none, allowing("socket") == nil {
            findings.append(
                PolicyFinding(
                    "`network: \(policy.network.rawValue)` is of no use: no rule allows `socket`",
                    at: policy.places[.network], remedy: "allow `socket` for the families that are needed"))
        }
        let runs = allowing("execve") ?? allowing("execveat")
        if let runs, !policy.visiblePaths.contains(where: { $0.rights.contains(.execute) }) {
            findings.append(
                PolicyFinding(
                    "allows `\(runs.call)` and no path can be executed", at: runs.place,
                    remedy: "grant `execute` where programs are"))
        }
        return findings + evaded()
    }

    /// Comparisons of all 64 bits of an argument of which the kernel reads 32.
    private func evaded() -> [PolicyFinding] {
        policy.rules.values.joined().filter { $0.answer == .allow }.compactMap { rule in
            let call = SystemCall(named: rule.call, architecture: policy.architecture)
            guard rule.conditions.contains(where: { $0.isEvaded(in: call) }) else { return nil }
            return PolicyFinding(
                "lets any `\(rule.call)` pass that sets a bit in the upper half, which the kernel does not read",
                at: rule.place, remedy: "compare without `register:`")
        }
    }
}
