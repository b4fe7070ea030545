internal import AnnexLinux
internal import Glibc

extension LaunchFailure {
    /// What is known to help against this errno at this step.
    static func mend(_ step: LaunchStep, errno number: Int32) -> String? {
        switch (step, number) {
        case (.clone, EPERM), (.clone, EACCES): return forbiddenNamespaces()
        case (.clone, ENOSPC), (.clone, EUSERS):
            return "the limit of namespaces is reached: raise the sysctls user.max_*_namespaces"
        case (.clone, EAGAIN): return "the limit of processes is reached (RLIMIT_NPROC, pids.max or the warden's own)"
        case (.clone, EMFILE): return "the limit of open files is reached: raise RLIMIT_NOFILE for the host"
        case (.clone, EINVAL): return "the kernel lacks a namespace that the policy needs"
        case (.clone, EBUSY), (.cgroup, EBUSY): return "the control group has groups below it and takes no process"
        case (.cgroup, EACCES), (.cgroup, EPERM): return "the control group is not delegated to this user"
        case (.maps, EPERM):
            return forbiddenNamespaces() ?? "an ordinary user can map nobody but itself, root only what its own map holds"
        case (.maps, ENOENT), (.maps, EACCES): return "the warden needs /proc of its own process namespace"
        case (.root, ENODEV): return "the kernel lacks tmpfs"
        case (.binds, ESTALE), (.trees, ESTALE), (.executable, ESTALE):
            return "something else is at that path now than what was checked: refused"
        case (.binds, ELOOP), (.executable, ELOOP), (.landlock, ELOOP): return "a symbolic link is on the path: refused"
        case (.binds, ENOENT): return "what was to be bound was moved or removed, or its place inside lies in another bind"
        case (.root, EPERM), (.binds, EPERM), (.pivot, EPERM): return "a security module may forbid mounts to this program"
        case (.pivot, EINVAL): return "the host's own root is no mount (chroot): start it in a mount namespace instead"
        case (.session, EDQUOT): return "the user's quota of keys is used up: raise kernel.keys.maxkeys"
        case (.session, ENOSYS), (.landlock, ENOSYS), (.seccomp, ENOSYS), (.seccomp, EINVAL):
            return "the running kernel lacks what this layer needs"
        case (.landlock, EOPNOTSUPP): return "Landlock is off: add it to the boot parameter lsm="
        case (.limits, EPERM): return "a limit cannot be raised above the host's own hard limit"
        case (.listener, EPERM): return "kernel.yama.ptrace_scope 3 forbids it: at most 2 is needed"
        case (.exec, ENOENT): return "its interpreter or loader is not in the sandbox; scripts are not executed"
        case (.exec, ENOEXEC): return "it is no program for this machine"
        case (.exec, EACCES): return "it is not executable for the sandbox's user, or lies where nothing may be executed"
        case (.exec, EPERM): return "the filter does not let the one execveat pass"
        default: return nil
        }
    }

    /// Which switch of this machine forbids user namespaces to ordinary users.
    private static func forbiddenNamespaces() -> String? {
        let switches: [(path: String, bad: String, mend: String)] = [
            (
                "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
                "AppArmor restricts user namespaces: install the warden with its profile, "
                    + "or run 'sysctl kernel.apparmor_restrict_unprivileged_userns=0' as root"
            ),
            (
                "/proc/sys/kernel/unprivileged_userns_clone", "0",
                "run 'sysctl kernel.unprivileged_userns_clone=1' as root"
            ),
            (
                "/proc/sys/user/max_user_namespaces", "0",
                "run 'sysctl user.max_user_namespaces=10000' as root"
            ),
        ]
        for item in switches where firstLine(of: item.path) == item.bad { return item.mend }
        return "a container or security module forbids user namespaces: in a container, allow unshare and mount "
            + "(for example 'docker run --security-opt seccomp=unconfined')"
    }

    private static func firstLine(of path: String) -> String? {
        var text: String?
        do throws(SystemError) {
            let file = try Descriptor.open(path, O_RDONLY)
            text = String(decoding: try file.readAll(atMost: 64), as: UTF8.self)
        } catch {
            // A switch that is not there is not the one that forbids.
            return nil
        }
        return text?.split(separator: "\n").first.map(String.init)
    }
}
