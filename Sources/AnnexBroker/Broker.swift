internal import AnnexBundle
package import AnnexChannel
internal import AnnexLinux
internal import AnnexPolicies
package import AnnexPolicy
internal import AnnexSandbox
package import AnnexService
internal import Synchronization

/// The system's part: knows what is installed, launches, supervises, ends.
package final class Broker: BrokerService {
    private let launcher: Launcher
    private let registry = Mutex(Registry())
    private let running = RunningExtensions()
    private let places = Places()
    private let onEnd: @Sendable (EndedExtension) -> Void
    private let patience: Duration
    private let instances: Int?
    private let adjust: @Sendable (inout PolicyLimits) -> Void

    /// Starts the warden and sweeps what a broker that was killed left behind.
    /// - Parameters:
    ///   - waiving: layers that extensions may do without, where this machine cannot give them.
    ///   - instances: how many may run at once under one policy; nil: as many as the policy says.
    ///   - patience: no extension is ended by the clock alone before this, whatever its policy says.
    ///   - adjust: changes the limits of every policy, last.
    ///   - onEnd: told of each end, on any thread; must not block.
    package init(
        waiving: Set<DispensableLayer> = [], instances: Int? = nil, patience: Duration = .zero,
        adjust: @escaping @Sendable (inout PolicyLimits) -> Void = { _ in },
        onEnd: @escaping @Sendable (EndedExtension) -> Void = { _ in }
    ) throws(ServiceError) {
        self.instances = instances
        self.patience = patience
        self.adjust = adjust
        self.onEnd = onEnd
        do throws(SandboxError) {
            launcher = try Launcher.start(waiving: Set(waiving.compactMap { SandboxLayer($0) }))
        } catch {
            throw ServiceError(.system, "\(error.cause)", place: error.step, mend: error.mend)
        }
    }

    deinit {
        shutDown()
        launcher.shutDown()
    }

    // MARK: What is installed

    package func install(app path: String) throws(ServiceError) -> [InstalledExtension] {
        let app: AppBundle
        do throws(BundleError) {
            app = try AppBundle.open(path)
        } catch {
            throw ServiceError(.invalidBundle, "\(error)", place: path)
        }
        // Read and compiled now: a launch finds both ready, and a policy that cannot be compiled fails here.
        for bundle in app.extensions { try prepare(policy(for: bundle), for: bundle) }
        try registry.withLock { (registry) throws(ServiceError) in try registry.install(app) }
        return app.extensions.map(InstalledExtension.init)
    }

    package var extensions: [InstalledExtension] { registry.withLock { $0.extensions } }

    // MARK: Launching

    package func channelConfiguration(for identifier: String) throws(ServiceError) -> ChannelConfiguration {
        ChannelConfiguration(try policy(for: bundle(identifier)).limits)
    }

    package func launch(
        _ identifier: String, timeLimit: Duration?, channel: consuming ExtensionDescriptors,
        events: @escaping @Sendable (ExtensionEvent) -> Void
    ) throws(ServiceError) -> any ExtensionHandle {
        let bundle = try bundle(identifier)
        let policy = try policy(for: bundle)
        let configuration = try Self.configuration(for: bundle, policy: policy, channel: channel)
        let supervised = running.add { remove in
            SupervisedExtension(
                identifier, policy: policy, timeLimit: timeLimit, launcher: launcher, places: places, events: events
            ) { [onEnd] end in
                remove()
                onEnd(end)
            }
        }
        supervised.start(configuration)
        return supervised
    }

    /// Ends every extension; what they were doing is told as `brokerShutdown`.
    package func shutDown() {
        for supervised in running.all { supervised.end(for: .brokerShutdown) }
    }

    private func bundle(_ identifier: String) throws(ServiceError) -> ExtensionBundle {
        if let bundle = registry.withLock({ $0.bundle(identifier) }) { return bundle }
        throw ServiceError(
            .unknownExtension, "is not installed", place: identifier,
            mend: "install the app that carries it; installed are: \(extensions.map(\.id).joined(separator: ", "))")
    }

    private func prepare(_ policy: Policy, for bundle: ExtensionBundle) throws(ServiceError) {
        // Where the machine gives no seccomp and the host does without, nothing is compiled.
        guard launcher.gives(.seccomp) else { return }
        do throws(PolicyError) {
            _ = try policy.filter()
        } catch {
            throw ServiceError(.invalidPolicy, "\(error)", place: bundle.identifier)
        }
    }

    private func policy(for bundle: ExtensionBundle) throws(ServiceError) -> Policy {
        do throws(PolicyError) {
            var policy = try Policy.compiledAhead(named: bundle.extensionPoint)
            policy.limits.loosen(time: patience)
            if let instances { policy.limits.instances = instances }
            adjust(&policy.limits)
            return policy
        } catch {
            throw ServiceError(.invalidPolicy, "\(error)", place: bundle.identifier)
        }
    }
}
