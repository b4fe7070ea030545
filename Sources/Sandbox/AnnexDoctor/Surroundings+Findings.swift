internal import AnnexLaunch

extension Surroundings {
    /// The findings about everything that was read.
    var findings: [Finding] {
        [containerFinding, filterFinding, procFinding, hidingFinding] + moduleFindings
            + KernelSwitch.all.compactMap { one in switches[one.name].map { one.finding($0) } }
    }

    private var containerFinding: Finding {
        Finding(
            "container", .surroundings, "container around this program", container == .none ? .works : .note,
            seen: container == .none ? "no sign of one" : container.rawValue,
            meaning: container == .none ? nil : "what it forbids, no sandbox inside it can have")
    }

    private var filterFinding: Finding {
        Finding(
            "seccomp-in-force", .surroundings, "seccomp filter already in force", hasFilter ? .note : .works,
            seen: "/proc/self/status: Seccomp: \(hasFilter ? "2" : "0")",
            meaning: hasFilter ? "what it refuses is refused here too; each trial says whether it matters" : nil)
    }

    private var procFinding: Finding {
        Finding(
            "proc-masks", .surroundings, "mounts over /proc", masks.isEmpty ? .works : .note,
            seen: masks.isEmpty ? "/proc/self/mountinfo: none" : masks.prefix(8).joined(separator: ", "),
            meaning: masks.isEmpty ? nil : "no new procfs can be made: policies with `proc: minimal` cannot run",
            remedy: masks.isEmpty ? nil : container == .none ? "sudo umount \(masks[0]) …" : container.remedy)
    }

    private var hidingFinding: Finding {
        Finding(
            "hidepid", .surroundings, "processes hidden by /proc", hiding == nil ? .works : .weaker,
            seen: hiding.map { "/proc/self/mountinfo: \($0)" } ?? "/proc/self/mountinfo: none",
            meaning: hiding.map { _ in
                "without a control group that bounds memory, nothing with processes of its own can run"
            }, remedy: hiding.map(HiddenProcesses.remedy))
    }

    private var moduleFindings: [Finding] {
        let text = modules.map { $0.joined(separator: ",") } ?? "/sys/kernel/security/lsm cannot be read"
        var found = [Finding("lsm", .surroundings, "security modules", .works, seen: text)]
        if let profile, !profile.isEmpty {
            let isFree = profile.hasPrefix("unconfined") || !profile.contains("(enforce)")
            found.append(
                Finding(
                    "apparmor-profile", .surroundings, "AppArmor profile of this program", isFree ? .works : .note,
                    seen: "/proc/self/attr/current: \(profile)",
                    meaning: isFree
                        ? nil : "what the profile forbids, no sandbox can have; the trials say whether it does"))
        }
        if let isSELinuxEnforcing {
            found.append(
                Finding(
                    "selinux", .surroundings, "SELinux", isSELinuxEnforcing ? .note : .works,
                    seen: "/sys/fs/selinux/enforce: \(isSELinuxEnforcing ? "1 (enforcing)" : "0 (permissive)")",
                    meaning: isSELinuxEnforcing ? "its policy may refuse mounts to some domains; the trials say" : nil))
        }
        return found
    }
}
