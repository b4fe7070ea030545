internal import AnnexLinux
internal import Glibc

extension LaunchFailure {
    /// The known remedy for this errno at this step; nil if there is none.
    static func remedy(_ step: LaunchStep, errno number: Int32) -> String? {
        if number == ETOOMANYREFS {
            return "programs of this user have sent more descriptors that nobody took yet than this one may have open: "
                + "raise its limit (ulimit -n), or end what sends them"
        }
        if number == EPERM || number == EACCES, step.needsNamespaceRights, let remedy = switchThatForbids() {
            return remedy
        }
        return groupRemedy(step, number) ?? fileRemedy(step, number) ?? confinementRemedy(step, number)
            ?? executionRemedy(step, number)
    }

    private static func groupRemedy(_ step: LaunchStep, _ number: Int32) -> String? {
        switch (step, number) {
        case (.clone, EPERM), (.clone, ENOSYS), (.propagation, EPERM), (.maps, EPERM):
            return "a container, a chroot or a security module forbids user namespaces; in a container, allow unshare "
                + "and mount (for example 'docker run --security-opt seccomp=unconfined')"
        case (.clone, ENOSPC), (.clone, EUSERS):
            return switchThatForbids() ?? "the limit of namespaces is reached: raise the sysctls user.max_*_namespaces"
        case (.clone, EAGAIN): return "the limit of processes is reached (RLIMIT_NPROC, pids.max or the warden's own)"
        case (.clone, EMFILE): return "the limit of open files is reached: raise RLIMIT_NOFILE for the host"
        case (.clone, EINVAL): return "the kernel lacks a namespace that the policy needs"
        case (.clone, EBUSY), (.cgroup, EBUSY): return "the control group has groups below it and takes no process"
        case (.clone, EACCES), (.cgroup, EACCES), (.cgroup, EPERM):
            return "the control group is not delegated to this user"
        case (.clocks, EINVAL):
            return "the kernel lacks time namespaces (CONFIG_TIME_NS), or do without the layer `time`"
        case (.maps, ENOENT), (.maps, EACCES), (.clocks, ENOENT):
            return "the warden needs /proc of its own process namespace"
        default: return nil
        }
    }

    private static func fileRemedy(_ step: LaunchStep, _ number: Int32) -> String? {
        switch (step, number) {
        case (.root, ENODEV): return "the kernel lacks tmpfs"
        case (.executable, EACCES), (.directory, EACCES):
            return
                "the sandbox is a user of its own, and may not read it or enter a directory above it: 'chmod -R go+rX'"
        case (.binds, ESTALE), (.trees, ESTALE), (.executable, ESTALE):
            return "something else is at that path now than what was checked: refused"
        case (.binds, ELOOP), (.executable, ELOOP), (.landlock, ELOOP): return "a symbolic link is on the path: refused"
        case (.binds, ENOENT):
            return "it was moved or removed, or its place inside would have to be made in another bind"
        case (.root, EPERM), (.binds, EPERM), (.pivot, EPERM):
            return "a security module may forbid mounts to this program"
        case (.pivot, EINVAL):
            return "the host's own root is no mount (chroot): start the host in a mount namespace instead"
        default: return nil
        }
    }

    private static func confinementRemedy(_ step: LaunchStep, _ number: Int32) -> String? {
        switch (step, number) {
        case (.session, EDQUOT): return "the user's quota of keys is used up: raise kernel.keys.maxkeys"
        case (.session, ENOSYS), (.landlock, ENOSYS), (.seccomp, ENOSYS), (.seccomp, EINVAL):
            return "the running kernel lacks what this layer needs"
        case (.landlock, EOPNOTSUPP): return "Landlock is off: add it to the boot parameter lsm="
        case (.limits, EPERM): return "a limit cannot be raised above the host's own hard limit"
        case (.seccomp, EMFILE): return "RLIMIT_NOFILE leaves no number for the listener: one more is needed"
        case (.speculation, ENOMEM): return "the kernel has no memory for it now: try again"
        case (.speculation, _):
            return "the machine offers it, and a filter around the host refuses it: allow prctl, "
                + "or do without the layer `speculation`"
        case (.listener, EPERM): return "kernel.yama.ptrace_scope 3 forbids it: at most 2 is needed"
        default: return nil
        }
    }

    private static func executionRemedy(_ step: LaunchStep, _ number: Int32) -> String? {
        guard step == .exec else { return nil }
        switch number {
        case ENOENT: return "its interpreter or loader is not in the sandbox; scripts are not executed"
        case ETXTBSY: return "it is still open for writing somewhere, perhaps by a process just forked: try again"
        case ENOEXEC: return "it is no program for this machine"
        case EACCES: return "it is not executable for the sandbox's user, or lies where nothing may be executed"
        case EPERM: return "the filter does not let the one execveat pass"
        default: return nil
        }
    }

    /// The remedy for a switch of this machine that keeps ordinary users from using namespaces; nil if no switch does.
    private static func switchThatForbids() -> String? {
        let switches: [(path: String, forbids: String, remedy: String)] = [
            (
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
                "AppArmor restricts user namespaces: install the warden with its profile, "
                    + "or run 'sysctl kernel.apparmor_restrict_unprivileged_userns=0' as root"
            ),
            (
                "/proc/sys/kernel/unprivileged_userns_clone", "0",
                "run 'sysctl kernel.unprivileged_userns_clone=1' as root"
            ),
            ("/proc/sys/user/max_user_namespaces", "0", "run 'sysctl user.max_user_namespaces=10000' as root"),
        ]
        return switches.first { firstLine(of: $0.path) == $0.forbids }?.remedy
    }

    private static func firstLine(of path: String) -> String? {
        do throws(SystemError) {
            let text = String(decoding: try Descriptor.open(path, O_RDONLY).readAll(atMost: 64), as: UTF8.self)
            return text.split(separator: "\n").first.map(String.init)
        } catch {
            // A switch that does not exist forbids nothing.
            return nil
        }
    }
}

extension LaunchStep {
    /// Whether the step needs rights in the user namespace. AppArmor allows the namespace itself and denies actions in
    /// it.
    fileprivate var needsNamespaceRights: Bool {
        switch self {
        case .clone, .cgroup, .clocks, .maps, .identity, .propagation, .root, .binds, .scratches, .pivot, .hostname,
            .capabilities:
            true
        default: false
        }
    }
}
