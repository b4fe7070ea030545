internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

extension LaunchFailure {
    /// A failure that the warden reports.
    /// - Parameter detail: the number of the failed item, as the warden reports it.
    init(_ step: LaunchStep, errno number: Int32, detail: Int, subject: String?) {
        let isNamespace = step == .cgroup && detail == Self.groupNamespace
        self.init(
            step, errno: number, subject: subject,
            remedy: isNamespace ? Self.namespaceRemedy : Self.remedy(step, errno: number))
        dispensable = Self.dispensable(step, errno: number, detail: detail)
    }

    /// The detail of the step `cgroup` if the namespace failed, and not the join of a group (`ANNEX_PLAN_GROUPS`).
    static let groupNamespace = 16

    private static let namespaceRemedy =
        "a filter around this program, such as the one of a container, denies namespaces: allow unshare there"

    /// The layers without which a launch may succeed that failed at this step; none if the failure has another cause
    /// than a missing layer.
    static func dispensable(_ step: LaunchStep, errno number: Int32, detail: Int) -> [SandboxLayer] {
        if step == .clone, [EPERM, ENOSYS, ENOSPC, EUSERS, EINVAL].contains(number) {
            return Standing.isUnmapped ? [] : withoutNamespaces
        }
        return layer(step, errno: number, detail: detail).map { [$0] } ?? []
    }

    /// All that a machine without namespaces may lack. The filter of a container also denies a keyring. A layer that the
    /// machine gives is in force although it is named here.
    private static var withoutNamespaces: [SandboxLayer] {
        let namespaces: [SandboxLayer] = [
            .user, .mount, .pid, .network, .ipc, .uts, .cgroup, .root, .time, .processFiles, .capabilities,
        ]
        return namespaces + (Confinement.hasFilter ? [.keyring] : [])
    }

    /// The layer that a failed step belongs to; nil if the failure has another cause than a missing layer.
    private static func layer(_ step: LaunchStep, errno number: Int32, detail: Int) -> SandboxLayer? {
        let isRefused = [EPERM, EACCES, ENOSYS, ENODEV, EROFS].contains(number)
        switch step {
        case .cgroup where detail == groupNamespace: return .cgroup
        case .clocks: return .time
        case .maps where detail < 3: return .user
        case .propagation where isRefused: return .mount
        case .root where isRefused, .scratches where isRefused, .binds where isRefused, .pivot: return .root
        case .proc: return .processFiles
        case .hostname: return .uts
        case .session where detail == 1: return .keyring
        case .capabilities: return .capabilities
        case .noNewPrivileges: return .noNewPrivileges
        case .speculation where number != ENOMEM: return .speculation
        case .landlock where isRefused || number == EOPNOTSUPP: return .landlock
        case .seccomp: return number == EBUSY ? .listener : isRefused ? .seccomp : nil
        case .listener: return .listener
        default: return nil
        }
    }
}
