internal import AnnexLinux
package import AnnexPolicy
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// Finds out whether this machine provides a layer. The warden builds that layer with the layers that it needs, and
/// stops before any program runs.
///
/// The trial performs the same steps as a real launch, in the child process that would become the program. The plan
/// names a fault: the first step after the layer's own steps fails without being performed. If the trial fails at this
/// step, all earlier steps worked.
struct LayerTrial {
    private let warden: Warden
    private let identity: (user: UInt32, group: UInt32)
    /// The rights on files that the trial of Landlock handles.
    private let rights: UInt64
    private let landlock: LandlockVersion?

    /// How long the warden may take to answer. The answer normally takes a millisecond.
    private static let patience: Duration = .seconds(60)
    /// The errno of the fault, which no real step returns.
    private static let mark = ECANCELED

    init(warden: Warden, landlock: LandlockVersion?, rights: UInt64? = nil) {
        self.warden = warden
        self.landlock = landlock
        // Every version of Landlock knows the right to execute.
        self.rights = rights ?? landlock?.files ?? LandlockRights.execute.rawValue
        // The trial uses the same user as a launch would: a separate user if sandboxes get separate users on this
        // machine, otherwise the calling user.
        let number = IdentityRange.standard.lowerBound
        let hasUsersToGive = (try? Standing.ofThisProcess())?.hasUsersToGive ?? false
        identity = hasUsersToGive ? (number, number) : (getuid(), getgid())
    }

    /// The wanted layers that this machine cannot provide.
    func missingLayers(among wanted: Set<SandboxLayer>) -> [MissingLayer] {
        guard !wanted.isEmpty else { return [] }
        // If this machine provides user namespaces, every other layer is tried inside a user namespace.
        let user = failure(of: .user, base: [])
        let base: SandboxLayers = user == nil ? .user : []
        return SandboxLayer.allCases.filter(wanted.contains).compactMap { layer in
            (layer == .user ? user : failure(of: SandboxLayers(layer), base: base)).map {
                MissingLayer(layer: layer, failure: $0)
            }
        }
    }

    private func failure(of layer: SandboxLayers, base: SandboxLayers) -> LaunchFailure? {
        do throws(SystemError) {
            return answer(to: try plan(for: layer, base: base))
        } catch {
            return LaunchFailure(.plan, errno: error.errno, remedy: error.remedy)
        }
    }

    private func plan(for layer: SandboxLayers, base: SandboxLayers) throws(SystemError) -> LaunchPlan {
        // Every machine has this file. The file is not executed, because the launch stops earlier.
        let nothing = "/dev/null"
        var plan = try LaunchPlan(
            executable: nothing, checked: Descriptor.reference(to: nothing), outsideUser: identity.user,
            outsideGroup: identity.group)
        plan.layers = base.union(layer).union(layer.foundation)
        plan.fault = (layer.proof, Self.mark)
        if layer == .root { try plan.bind(Descriptor.reference(to: nothing), at: nothing) }
        plan.hasProc = layer == .processFiles
        if layer == .landlock {
            plan.landlock.files = rights
            plan.landlock.network = landlock?.network ?? 0
            plan.landlock.scopes = landlock?.scopes ?? 0
        }
        if layer == .seccomp || layer == .listener { plan.filter = Self.everythingAllowed }
        if layer == .listener { plan.filterFlags = UInt32(annex_notification_flags()) }
        return plan
    }

    /// `BPF_RET | BPF_K` with `SECCOMP_RET_ALLOW`. The bytes are little-endian, because both supported architectures
    /// are little-endian.
    private static let everythingAllowed: [UInt8] = [0x06, 0, 0, 0, 0x00, 0x00, 0xff, 0x7f]

    /// The failure of a trial; nil if the steps before the fault worked.
    private func answer(to plan: consuming LaunchPlan) -> LaunchFailure? {
        let proof = plan.fault?.step
        let outcome = Outcome<LaunchFailure>()
        do throws(LaunchFailure) {
            try warden.launch(plan) { event in
                switch consume event {
                case .failed(let failure, _): outcome.record(failure)
                case .ended: outcome.finish()
                case .wardenLost:
                    outcome.record(Warden.lost)
                    outcome.finish()
                default: break
                }
            }
        } catch {
            return error
        }
        let failure = outcome.wait(atMost: Self.patience) ?? LaunchFailure(.clone, errno: ETIMEDOUT)
        return failure.step == proof && failure.errno == Self.mark ? nil : failure
    }
}

extension SandboxLayers {
    /// The layers that this layer needs.
    fileprivate var foundation: SandboxLayers {
        switch self {
        case .root: .mount
        case .time: .user
        // Without no_new_privs, a launch keeps a capability for Landlock and seccomp, which not every caller has.
        case .capabilities, .landlock, .seccomp: .noNewPrivileges
        case .listener: [.noNewPrivileges, .seccomp]
        case .processFiles: [.mount, .root, .process]
        default: []
        }
    }

    /// The first step after the steps of this layer.
    fileprivate var proof: LaunchStep {
        switch self {
        case .hostname: .directory
        case .mount: .root
        case .root: .hostname
        case .keyring: .descriptors
        case .capabilities: .lifeline
        case .noNewPrivileges: .landlock
        case .speculation: .reaper
        case .landlock: .limits
        case .seccomp, .listener: .exec
        case .processFiles: .pivot
        default: .propagation
        }
    }
}

/// A layer that this machine cannot provide, and the launch step whose failure showed this.
package struct MissingLayer: Sendable {
    package let layer: SandboxLayer
    package let failure: LaunchFailure

    /// The failed step with its errno, in words.
    package var seen: String {
        let about = failure.subject.map { " \($0)" } ?? ""
        return "\(failure.step.name)\(about): \(Errno.name(failure.errno)) (\(Errno.text(failure.errno)))"
    }
}

/// A value that one thread provides and another thread waits for, with a time limit.
package final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var isOver = false
    }

    private let state = Mutex(State())
    private let parker = Parker()

    package init() {}

    /// Sets the value. If a value is already set, the first value stays.
    package func record(_ value: Value) {
        state.withLock { $0.value = $0.value ?? value }
    }

    /// Ends the wait, because no further value follows.
    package func finish() {
        state.withLock { $0.isOver = true }
        parker.unpark()
    }

    /// - Returns: nil if `finish` was not called in time, or if no value was recorded before `finish`.
    package func wait(atMost patience: Duration) -> Value? {
        let deadline = MonotonicClock.deadline(after: patience)
        while !state.withLock({ $0.isOver }), MonotonicClock.remaining(until: deadline) > 0 {
            parker.park(until: deadline)
        }
        return state.withLock { $0.isOver ? $0.value : nil }
    }
}
