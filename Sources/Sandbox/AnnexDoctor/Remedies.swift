internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// Finds the cause of a refusal among the known causes, and the remedy for it.
///
/// Several causes may be present, so the checks have a fixed order. The first check is for a sysctl that is off. A
/// filter around this program counts before a security module, because the kernel asks the filter first. If no check
/// finds a cause, the cause is the kernel itself.
package struct Remedies: Sendable {
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    package func remedy(of feature: KernelFeature, _ answer: KernelFeature.Answer) -> String {
        if feature.isOfNamespaces, case .denied(let errno) = answer, let remedy = userNamespace(errno) {
            return remedy
        }
        if answer.mayBeFiltered, surroundings.hasFilter { return filtered }
        return feature.remedy
    }

    func remedy(of missing: MissingLayer) -> String? {
        let errno = missing.failure.errno
        if missing.layer == .user, missing.failure.step == .maps, let remedy = map { return remedy }
        if missing.layer.isNamespace, let remedy = userNamespace(errno) ?? limit(of: missing.layer, errno) {
            return remedy
        }
        if errno == EPERM || errno == ENOSYS, surroundings.hasFilter { return filtered }
        if missing.layer == .landlock, let modules = surroundings.modules, !modules.contains("landlock") {
            return "add landlock to the boot parameter: lsm=\((["landlock"] + modules).joined(separator: ","))"
        }
        return missing.failure.remedy
    }

    /// The remedy if no broker can be started or nothing can be launched, and the failure itself names no remedy.
    var ofStart: String? { userNamespace(ENOSPC) ?? map }

    private var filtered: String {
        "a seccomp filter around this program denies it (Seccomp: 2 in /proc/self/status); "
            + surroundings.container.remedy
    }

    /// The remedy if this user is not allowed to make user namespaces; nil if the cause is unknown.
    private func userNamespace(_ errno: Int32) -> String? {
        if surroundings.switches["user.max_user_namespaces"] == "0" {
            return "sudo sysctl -w user.max_user_namespaces=10000"
        }
        guard errno == EPERM || errno == EACCES else { return nil }
        if surroundings.switches["kernel.unprivileged_userns_clone"] == "0" {
            return "sudo sysctl -w kernel.unprivileged_userns_clone=1"
        }
        // The errno comes from the first mechanism that refuses. The kernel asks a filter before AppArmor, so with a
        // filter in force, the errno may come from the filter.
        if !surroundings.hasFilter, surroundings.switches["kernel.apparmor_restrict_unprivileged_userns"] == "1" {
            return AppArmorProfile.installation
        }
        return nil
    }

    private func limit(of layer: SandboxLayer, _ errno: Int32) -> String? {
        guard errno == ENOSPC || errno == EUSERS, let kind = layer.switchName else { return nil }
        return "sudo sysctl -w user.max_\(kind)_namespaces=10000"
    }

    /// The remedy if root cannot give sandboxes separate user numbers, because this user namespace has no numbers to
    /// give.
    private var map: String? {
        guard getuid() == 0 else { return nil }
        return Standing(user: 0, users: surroundings.users).missing?.remedy
    }
}

extension SandboxLayer {
    fileprivate var isNamespace: Bool {
        switch self {
        case .user, .mount, .pid, .network, .ipc, .uts, .cgroup, .root, .time: true
        case .capabilities, .noNewPrivileges, .landlock, .seccomp, .keyring, .speculation, .processFiles, .listener:
            false
        }
    }

    /// The namespace's name in `user.max_…_namespaces`.
    fileprivate var switchName: String? {
        switch self {
        case .user: "user"
        case .mount: "mnt"
        case .pid: "pid"
        case .network: "net"
        case .ipc: "ipc"
        case .uts: "uts"
        case .cgroup: "cgroup"
        case .time: "time"
        default: nil
        }
    }
}

/// The AppArmor profile that Ubuntu requires. On Ubuntu, only programs with a profile may make user namespaces. A
/// profile applies to paths, so the warden must be installed at a path that this profile names.
enum AppArmorProfile {
    static let path = "/etc/apparmor.d/annex-warden"

    /// The profile for the installed warden. All sandboxes are children of the warden.
    static let text = """
        abi <abi/4.0>,
        include <tunables/global>

        profile annex-warden /usr/{local/,}libexec/annex/annex-warden flags=(unconfined) {
          userns,
        }

        """

    /// The command that installs the warden and loads its profile.
    static let installation =
        "annex doctor --print warden | sudo install -D -m 755 /dev/stdin /usr/libexec/annex/annex-warden && "
        + "annex doctor --print apparmor-profile | sudo tee \(path) && sudo apparmor_parser -r \(path); "
        + "or, until the next boot: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
}
