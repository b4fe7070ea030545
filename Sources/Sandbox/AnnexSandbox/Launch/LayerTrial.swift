internal import AnnexLinux
internal import AnnexPolicy
internal import CAnnexLinux
internal import Glibc

/// Whether this machine gives a layer: the warden is asked to build exactly that, and stops before anything runs.
///
/// The very steps of a launch, in the very process that takes them, up to the first step that the layer does not need:
/// a fault there, which a plan may name, is the proof that all before it worked.
struct LayerTrial {
    private let warden: Warden
    private let identity: (user: UInt32, group: UInt32)
    /// Rights on files that the trial of Landlock handles.
    private let rights: UInt64
    private let landlock: LandlockVersion?

    /// How long the warden may take to answer; it takes a millisecond.
    private static let patience: Duration = .seconds(60)
    /// What the fault answers; nothing of a launch does.
    private static let mark = ECANCELED

    init(warden: Warden, landlock: LandlockVersion?, rights: UInt64? = nil) {
        self.warden = warden
        self.landlock = landlock
        // Executing is known to every version.
        self.rights = rights ?? landlock?.files ?? LandlockRights.execute.rawValue
        // As the launcher chooses: another user where it has some to give.
        let number = IdentityRange.standard.lowerBound
        let hasUsersToGive = (try? Standing.ofThisProcess())?.hasUsersToGive ?? false
        identity = hasUsersToGive ? (number, number) : (getuid(), getgid())
    }

    /// Every layer of these that cannot be had.
    func lacks(among wanted: Set<SandboxLayer>) -> [LayerLack] {
        guard !wanted.isEmpty else { return [] }
        // Everything else is made inside a user namespace, where there is one.
        let user = failure(of: .user, base: [])
        let base: SandboxLayers = user == nil ? .user : []
        return SandboxLayer.allCases.filter(wanted.contains).compactMap { layer in
            (layer == .user ? user : failure(of: SandboxLayers(layer), base: base)).map {
                LayerLack(layer: layer, failure: $0)
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
        // Something that every machine has and nobody executes: the launch stops before.
        let nothing = "/dev/null"
        var plan = try LaunchPlan(
            executable: nothing, checked: Descriptor.reference(to: nothing), outsideUser: identity.user,
            outsideGroup: identity.group)
        plan.layers = base.union(layer).union(layer.foundation)
        plan.fault = (layer.proof, Self.mark)
        if layer == .root { try plan.bind(Descriptor.reference(to: nothing), at: nothing) }
        if layer == .landlock {
            plan.landlock.files = rights
            plan.landlock.network = landlock?.network ?? 0
            plan.landlock.scopes = landlock?.scopes ?? 0
        }
        if layer == .seccomp {
            plan.filter = Self.everythingAllowed
            plan.filterFlags = UInt32(annex_notification_flags())
        }
        return plan
    }

    /// `BPF_RET | BPF_K` with `SECCOMP_RET_ALLOW`, in this machine's byte order: both are little-endian.
    private static let everythingAllowed: [UInt8] = [0x06, 0, 0, 0, 0x00, 0x00, 0xff, 0x7f]

    /// nil: the steps before the fault were taken.
    private func answer(to plan: consuming LaunchPlan) -> LaunchFailure? {
        let proof = plan.fault?.step
        let outcome = Outcome<LaunchFailure>()
        do throws(LaunchFailure) {
            try warden.launch(plan) { event in
                switch consume event {
                case .failed(let failure, _): outcome.note(failure)
                case .ended: outcome.finish()
                case .wardenLost:
                    outcome.note(Warden.lost)
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
    /// What this layer cannot be without.
    fileprivate var foundation: SandboxLayers {
        switch self {
        case .root: .mount
        case .time: .user
        case .landlock, .seccomp: .noNewPrivileges
        default: []
        }
    }

    /// The first step after those of this layer.
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
        case .seccomp: .exec
        default: .propagation
        }
    }
}
