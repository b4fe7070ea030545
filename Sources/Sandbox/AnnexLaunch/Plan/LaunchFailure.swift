internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// A launch that failed: the step, the errno, the path or other object of the step, and the remedy. Nothing of the
/// failed launch remains.
package struct LaunchFailure: Error, Sendable, Hashable {
    package let step: LaunchStep
    /// The kernel's errno; 0 if the process was killed before its executable ran.
    package let errno: Int32
    /// The object of the step, such as a path or a limit; nil if the object is not known.
    package let subject: String?
    /// The remedy; nil if no remedy is known.
    package let remedy: String?
    /// The layers without which the launch may succeed; empty if no layer failed.
    var dispensable: [SandboxLayer] = []

    package init(_ step: LaunchStep, errno: Int32, subject: String? = nil, remedy: String? = nil) {
        self.step = step
        self.errno = errno
        self.subject = subject
        self.remedy = remedy
    }

    static let invalid = EINVAL

    /// Whether the process was killed before its executable ran, and no step failed.
    var isDeath: Bool { errno == 0 }
}

extension LaunchFailure: CustomStringConvertible {
    package var description: String {
        let about = subject.map { " \($0)" } ?? ""
        let what = errno == 0 ? "killed before its executable ran" : "\(Errno.name(errno)) (\(Errno.text(errno)))"
        let remedy = remedy.map { "; \($0)" } ?? ""
        return "\(step.name)\(about): \(what)\(remedy)"
    }
}

extension LaunchFailure {
    /// The known remedy for this errno at this step; nil if no remedy is known.
    static func remedy(_ step: LaunchStep, errno number: Int32) -> String? {
        if number == ETOOMANYREFS {
            return
                "programs of this user have more descriptors in messages not received yet than this program may "
                + "have open: raise its limit of open files (ulimit -n), or end the programs that send the messages"
        }
        if number == EPERM || number == EACCES, step.needsNamespaceRights, let remedy = switchThatForbids() {
            return remedy
        }
        return groupRemedy(step, errno: number) ?? fileRemedy(step, errno: number) ?? confinementRemedy(
            step, errno: number)
            ?? executionRemedy(step, errno: number)
    }

    private static func groupRemedy(_ step: LaunchStep, errno number: Int32) -> String? {
        switch (step, number) {
        case (.clone, EPERM) where Standing.isUnmapped, (.identity, EINVAL) where Standing.isUnmapped:
            return Standing.remedyOfUnmapped
        case (.clone, EPERM) where Confinement.hasFilter, (.clone, ENOSYS) where Confinement.hasFilter:
            return
                "a seccomp filter confines this process and probably denies namespaces, as the default one of a container "
                + "does: allow them there ('annex doctor --print seccomp-profile' makes a profile that does)"
        case (.clone, EPERM), (.clone, ENOSYS), (.propagation, EPERM), (.maps, EPERM):
            return "a container, a chroot or a security module forbids user namespaces; in a container, allow unshare "
                + "and mount there ('annex doctor --print seccomp-profile' makes a profile that does)"
        case (.clone, ENOSPC), (.clone, EUSERS):
            return switchThatForbids() ?? "the limit of namespaces is reached: raise the sysctls user.max_*_namespaces"
        case (.clone, EAGAIN): return "the limit of processes is reached (RLIMIT_NPROC, pids.max or the warden's own)"
        case (.clone, EMFILE): return "the limit of open files is reached: raise RLIMIT_NOFILE for the host"
        case (.clone, EINVAL): return "the kernel lacks a namespace that the policy needs"
        case (.clone, EBUSY), (.cgroup, EBUSY):
            return "the control group has groups below it, and the kernel then allows no process in it"
        case (.clone, EACCES), (.cgroup, EACCES), (.cgroup, EPERM):
            return "the control group is not delegated to this user: start the program in a delegated one "
                + "(systemd-run --user --scope -p Delegate=yes -- COMMAND)"
        case (.hostname, EPERM) where Confinement.hasFilter:
            return "a seccomp filter around this program denies sethostname, as in some containers: allow it there"
        case (.clocks, EINVAL):
            return "the kernel lacks time namespaces: boot one with CONFIG_TIME_NS"
        case (.maps, ENOENT), (.maps, EACCES), (.clocks, ENOENT), (.owners, ENOENT), (.owners, EACCES):
            return "the warden needs /proc of its own process namespace"
        case (.owners, _):
            return "the file system of the private directory takes no id map: keep private directories on another one, "
                + "such as ext4, xfs or btrfs"
        default: return nil
        }
    }

    private static func fileRemedy(_ step: LaunchStep, errno number: Int32) -> String? {
        switch (step, number) {
        case (.root, ENODEV): return "the kernel lacks tmpfs"
        case (.executable, EACCES), (.directory, EACCES):
            // The sandbox of an ordinary user runs as that user.
            return geteuid() == 0
                ? "the sandbox runs as another user, which may not read it or enter a directory above it: "
                    + "'chmod -R go+rX'" : "this user may not read it or enter a directory above it"
        case (.binds, ESTALE), (.trees, ESTALE), (.executable, ESTALE), (.parts, ESTALE), (.parts, ENOENT):
            return "the object at this path was replaced after it was checked: try again"
        case (.binds, ELOOP), (.executable, ELOOP), (.landlock, ELOOP):
            return "the path contains a symbolic link: name its target instead"
        case (.binds, ENOENT):
            return
                "the object was moved or removed, or its place inside lies in another bound directory, which must not "
                + "be changed"
        case (.parts, ENOSPC): return "the limit of mounts is reached: raise the sysctl fs.mount-max, or hide less"
        case (.root, EPERM), (.binds, EPERM), (.parts, EPERM), (.pivot, EPERM):
            return "a security module may forbid mounts to this program"
        case (.proc, EPERM):
            return "a part of this machine's /proc is hidden, as in a container, and the kernel then allows no other "
                + "/proc"
        case (.pivot, EINVAL):
            return "the host's own root is no mount (chroot): start the host in a mount namespace instead"
        default: return nil
        }
    }

    private static func confinementRemedy(_ step: LaunchStep, errno number: Int32) -> String? {
        switch (step, number) {
        case (.session, EDQUOT): return "the user's quota of keys is used up: raise kernel.keys.maxkeys"
        case (.session, ENOSYS), (.landlock, ENOSYS), (.seccomp, ENOSYS), (.seccomp, EINVAL):
            return "the running kernel lacks a feature that this layer needs"
        case (.landlock, EOPNOTSUPP): return "Landlock is off: add it to the boot parameter lsm="
        case (.limits, EPERM): return "a limit cannot be raised above the host's own hard limit"
        case (.seccomp, EBUSY):
            return "a filter around this program has a listener, as in some containers, and the kernel allows only one"
        case (.seccomp, EMFILE): return "RLIMIT_NOFILE leaves no descriptor number for the listener: raise it by one"
        case (.speculation, ENOMEM): return "the kernel has no memory for this at the moment: try again"
        case (.speculation, _):
            return "the machine offers this control, and a filter around the host denies it: allow prctl"
        case (.listener, EPERM): return "kernel.yama.ptrace_scope is 3 and forbids this: set it to 2 or less"
        default: return nil
        }
    }

    private static func executionRemedy(_ step: LaunchStep, errno number: Int32) -> String? {
        guard step == .exec else { return nil }
        switch number {
        case E2BIG: return remedyOfManyArguments
        case ENOENT: return "the interpreter or loader of this file is not in the sandbox; scripts are not executed"
        case ETXTBSY:
            return "a process still has the file open for writing, perhaps one that was just forked: try again"
        case ENOEXEC: return "the file is no program for this machine; a script needs a first line with `#!` (sh FILE)"
        case EACCES: return "the sandbox's user may not execute the file, or its file system is mounted with noexec"
        case EPERM: return "the filter denies the execveat of the launch itself"
        default: return nil
        }
    }

    /// The remedy if arguments and environment are larger than the kernel allows.
    static let remedyOfManyArguments =
        "the kernel bounds arguments and environment together, to a quarter of the stack limit (ulimit -s): give the "
        + "program fewer arguments at a time (xargs -s 100000), or let a shell in the sandbox list them "
        + "(annex run -- sh -c 'ls many/*.txt')"

    /// The remedy for a setting of this machine that prevents ordinary users from using namespaces; nil if there is no
    /// such setting.
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
            // A setting that does not exist forbids nothing.
            return nil
        }
    }
}

extension LaunchStep {
    /// Whether the step needs rights in the user namespace. AppArmor may allow the namespace itself but deny actions in
    /// it.
    fileprivate var needsNamespaceRights: Bool {
        switch self {
        case .clone, .cgroup, .clocks, .maps, .owners, .identity, .propagation, .root, .binds, .scratches, .parts,
            .pivot,
            .hostname,
            .capabilities:
            true
        default: false
        }
    }
}
