internal import AnnexModel

/// A report on one launch: how long each step took, and which layers and limits are in force.
public struct LaunchReport: Sendable, Hashable {
    /// One step of the launch.
    public struct Step: Sendable, Hashable {
        /// The step's name, for example `pivot_root`.
        public let name: String
        /// How long the step took.
        public let duration: Duration

        package init(name: String, duration: Duration) {
            self.name = name
            self.duration = duration
        }
    }

    /// A layer that the host declared dispensable and that this machine does not provide.
    public struct Waiver: Sendable, Hashable {
        /// The missing layer.
        public let layer: DispensableLayer
        /// The step that failed and the kernel's error, for example `landlock: ENOSYS (Function not implemented)`.
        public let cause: String
        /// How to get the layer on this machine; nil if that is not known.
        public let remedy: String?

        package init(layer: DispensableLayer, cause: String, remedy: String?) {
            self.layer = layer
            self.cause = cause
            self.remedy = remedy
        }
    }

    /// How long the launch waited for a free instance slot before its first step.
    public let waited: Duration
    /// Every step in order, from the plan to the extension's hello.
    public let steps: [Step]
    /// The layers in force, for example `user namespace`, `Landlock (ABI 7)`. The entry `speculation control` lists in
    /// parentheses the controls that this machine offers, or says that the machine offers none.
    public let layers: [String]
    /// The layers that are missing. The host declared them dispensable, and the machine does not provide them.
    public let waived: [Waiver]
    /// The policy's name.
    public let policy: String
    /// Every limit of the policy, and the mechanism that enforces it.
    public let limits: [Limit]
    /// The memory limit in bytes.
    public let memoryLimit: UInt64
    /// How the memory limit is enforced.
    public let memory: Enforcement
    /// How the files in the private directory get the same owner on disk at each launch; nil if the extension has no
    /// private directory.
    public let privateDirectory: PrivateOwner?

    package init(
        waited: Duration = .zero, steps: [Step], layers: [String], waived: [Waiver] = [], policy: String,
        limits: [Limit] = [], memoryLimit: UInt64, memory: Enforcement, privateDirectory: PrivateOwner? = nil
    ) {
        self.waited = waited
        self.steps = steps
        self.layers = layers
        self.waived = waived
        self.policy = policy
        self.limits = limits
        self.memoryLimit = memoryLimit
        self.memory = memory
        self.privateDirectory = privateDirectory
    }

    /// The report of a session that has not begun.
    package static let unknown = LaunchReport(steps: [], layers: [], policy: "", memoryLimit: 0, memory: .watched)

    /// The time from the plan to the extension's hello.
    public var total: Duration { steps.reduce(.zero) { $0 + $1.duration } }
}

extension LaunchReport {
    /// How a limit is enforced.
    public enum Enforcement: String, Sendable, Hashable {
        /// The extension cannot exceed the limit. An attempt to exceed the limit fails at once, or ends the extension.
        /// The kernel enforces most of these limits; the size of the channel's memory enforces `in-flight`.
        case enforced
        /// Annex itself enforces the limit. It measures memory and processor time from time to time. It counts output,
        /// denied calls and messages as they occur, and its clocks enforce the time limits. If an extension exceeds one
        /// of these limits, Annex ends the extension. Three limits work in another way. If `instances` is reached, the
        /// next launch waits. If `open-calls` is reached, the host's next call fails. `keep-alive` ends a process that
        /// has waited too long for its next request.
        ///
        /// Memory is watched if the machine offers no control group, or no control group that can limit swap. In that
        /// case, `RLIMIT_DATA` makes an allocation of private memory fail if the allocation would exceed the limit. In
        /// addition, Annex measures memory of all kinds.
        case watched
    }

    /// How the files in private directories get the same owner on disk at each launch.
    public enum PrivateOwner: String, Sendable, Hashable {
        /// The files belong to one user per app, although each launch runs as another user. An id map on the mount
        /// translates between the two users.
        case idMap = "id map"
        /// The files belong to one user per app, and each of the app's extensions runs as that user. The file system
        /// supports no id map, or the layer `user` is missing.
        case userOfApp = "one user per app"
        /// The files belong to the broker's user, who is not root. Every extension runs as that user.
        case caller = "the broker's user"
    }

    /// One limit of the extension's policy.
    public struct Limit: Sendable, Hashable {
        /// The limit's name as policies spell it, for example `memory`.
        public let name: String
        /// The bound as policies write it, for example `64M`, `10s` or `32`.
        public let bound: String
        /// How the limit is enforced.
        public let enforcement: Enforcement
        /// The mechanism that enforces the limit, for example `control group` or `RLIMIT_NOFILE`.
        public let keeper: String

        package init(name: String, bound: String, enforcement: Enforcement, keeper: String) {
            self.name = name
            self.bound = bound
            self.enforcement = enforcement
            self.keeper = keeper
        }
    }
}

extension LaunchReport: CustomStringConvertible {
    /// A summary in several lines. The first line states the time of the launch and the policy. Further lines list the
    /// longest steps, the layers, each missing layer, and the limits.
    public var description: String {
        guard !policy.isEmpty else { return "not launched yet" }
        var lines = [
            "ready in \(total.short) under \(policy)" + (waited > .zero ? ", after \(waited.short) for a slot" : "")
        ]
        let longest = steps.sorted { $0.duration > $1.duration }.prefix(5)
        lines.append("longest steps: " + longest.map { "\($0.name) \($0.duration.short)" }.joined(separator: ", "))
        lines.append("layers: " + layers.joined(separator: ", "))
        lines += waived.map { "without \($0)" }
        if let privateDirectory { lines.append("private directory: owner by \(privateDirectory.rawValue)") }
        lines.append("limits: " + limits.map(\.description).joined(separator: ", "))
        return lines.joined(separator: "\n")
    }
}

extension LaunchReport.Waiver: CustomStringConvertible {
    /// The layer, why it is missing, and the remedy if one is known.
    public var description: String { "\(layer.rawValue): \(cause)" + (remedy.map { "; \($0)" } ?? "") }
}

extension LaunchReport.Limit: CustomStringConvertible {
    /// A text such as `memory 64M (control group, enforced)`.
    public var description: String { "\(name) \(bound) (\(keeper), \(enforcement.rawValue))" }
}

/// A layer of the sandbox that a host may declare dispensable, for machines that do not support it.
///
/// Annex omits a dispensable layer only if the machine cannot provide it. In that case, the launch report lists the
/// layer and the cause. The command `annex attack --without LAYER` shows which attacks the remaining layers still stop.
/// The raw value is the layer's name on the command line.
public enum DispensableLayer: String, CaseIterable, Sendable, Hashable {
    /// A Linux namespace: user, mount, process (`pid`), network, IPC, host name (`uts`) or control group.
    case user, mount, pid, network, ipc, uts, cgroup
    /// A separate root directory for the sandbox. This directory contains only what the policy lists.
    case root
    /// The removal of all Linux capabilities.
    case capabilities
    /// The flag that keeps programs from gaining rights, for example by a set-uid bit.
    case noNewPrivileges = "no-new-privileges"
    /// Landlock, seccomp, and a session keyring without permissions.
    case landlock, seccomp, keyring
    /// Clocks that do not reveal when the machine was started.
    case time
    /// Speculation that leaks data is switched off. While the extension runs on a core, no other program runs on the
    /// core's sibling threads. Caches are still shared. Annex applies the controls that the machine offers. A missing
    /// control never fails a launch, even if this layer is not dispensable.
    case speculation
    /// The sandbox's own `/proc`. If the machine allows no new `/proc`, as in many containers, the sandbox has none. Many
    /// programs then have fewer abilities, and none has more rights.
    case processFiles = "proc"
    /// The broker hears of denied calls, and decides calls that a filter cannot decide. Without this layer, the kernel
    /// refuses all these calls, and no report names them.
    case listener
}
