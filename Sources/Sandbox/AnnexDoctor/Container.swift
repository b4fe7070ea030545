internal import AnnexLaunch
internal import Glibc

/// The kind of container around this program, recognized by the traces that each kind leaves.
package enum Container: String, Sendable, Hashable, CaseIterable {
    case none, docker, podman, kubernetes, lxc, nspawn = "systemd-nspawn", flatpak, snap, wsl, other

    /// The traces that containers leave.
    struct Signs: Sendable, Hashable {
        /// The paths of `Container.files` that exist.
        var files: Set<String> = []
        /// The text of `/run/systemd/container`, or otherwise the variable `container` of this program or of process 1.
        var word: String?
        /// The text of `/proc/sys/kernel/osrelease`.
        var kernel = ""
        /// The text of `/proc/1/cgroup`.
        var groups = ""
        /// The variables of Kubernetes and snap that are set in this program.
        var variables: Set<String> = []
    }

    static let files = ["/.dockerenv", "/run/.containerenv", "/.flatpak-info"]
    static let variables = ["KUBERNETES_SERVICE_HOST", "SNAP"]

    init(_ signs: Signs) {
        let word = signs.word.map { String($0.prefix { $0 != "\n" }) } ?? ""
        if signs.variables.contains("KUBERNETES_SERVICE_HOST") || signs.groups.contains("kubepods") {
            self = .kubernetes
        } else if signs.files.contains("/run/.containerenv") || word == "podman" {
            self = .podman
        } else if signs.files.contains("/.dockerenv") || word == "docker" || signs.groups.contains("/docker/") {
            self = .docker
        } else if signs.files.contains("/.flatpak-info") || word == "flatpak" {
            self = .flatpak
        } else if signs.variables.contains("SNAP") {
            self = .snap
        } else if word.hasPrefix("lxc") {
            self = .lxc
        } else if word == Self.nspawn.rawValue {
            self = .nspawn
        } else if signs.kernel.lowercased().contains("microsoft") || word == "wsl" {
            self = .wsl
        } else {
            self = word.isEmpty ? .none : .other
        }
    }

    static func find() -> Container {
        var signs = Signs()
        signs.files = Set(files.filter { unsafe access($0, F_OK) == 0 })
        // SAFETY: the texts are copied before anything can change the environment.
        signs.variables = Set(variables.filter { unsafe getenv($0) != nil })
        let own = unsafe getenv("container").map { unsafe String(cString: $0) }
        signs.word = TextFile.read("/run/systemd/container") ?? own ?? word(in: TextFile.read("/proc/1/environ"))
        signs.kernel = TextFile.read("/proc/sys/kernel/osrelease") ?? ""
        signs.groups = TextFile.read("/proc/1/cgroup") ?? ""
        return Container(signs)
    }

    /// The value of the variable `container` among entries that each end with a NUL byte; nil if the variable is not
    /// set.
    static func word(in environment: String?) -> String? {
        environment?.split(separator: "\0").first { $0.hasPrefix("container=") }.map { String($0.dropFirst(10)) }
    }

    /// The option that leaves /proc complete, so that the kernel allows a sandbox a /proc of its own.
    private static func unmasked(_ engine: Container) -> String {
        engine == .podman ? "unmask=ALL" : "systempaths=unconfined"
    }

    /// How to start this kind of container so that sandboxes can be made inside.
    var remedy: String {
        switch self {
        case .docker, .podman:
            "annex doctor --print seccomp-profile > annex.json; \(rawValue) run --security-opt seccomp=annex.json "
                + "--security-opt apparmor=unconfined --security-opt \(Self.unmasked(self)) …"
        case .kubernetes:
            "in the pod's securityContext: seccompProfile: {type: Unconfined}, appArmorProfile: {type: Unconfined}, "
                + "procMount: Unmasked"
        case .lxc: "in the container's configuration: lxc.include = /usr/share/lxc/config/nesting.conf"
        case .nspawn: "systemd-nspawn --system-call-filter='@mount @keyring bpf' --private-users=pick …"
        case .flatpak: "run outside of flatpak: flatpak-spawn --host annex doctor"
        case .snap: "install the snap with --classic"
        case .none, .wsl, .other:
            "start this program without the filter: for a systemd service, remove SystemCallFilter= and "
                + "RestrictNamespaces= from its unit"
        }
    }
}
