internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import AnnexRegistry

extension Broker {
    /// The sandbox's configuration for an extension. It holds the files that the installation of the app checked.
    static func configuration(
        for bundle: ExtensionBundle, policy: Policy, channel: consuming ExtensionDescriptors
    ) throws(BrokerError) -> SandboxConfiguration {
        var gifts = DescriptorList(channel.control)
        gifts.append(channel.hostRegion)
        gifts.append(channel.extensionRegion)
        do throws(SystemError) {
            var configuration = SandboxConfiguration(
                policy: policy, bundle: try bundle.directory.descriptor.duplicate(),
                executable: try bundle.executable.descriptor.duplicate(), executablePath: bundle.executablePath,
                name: bundle.identifier, gifts: gifts,
                numbers: [
                    ChannelDescriptor.control, ChannelDescriptor.hostRegion, ChannelDescriptor.extensionRegion,
                ])
            if !policy.paths.frameworks.isEmpty { configuration.frameworks = try bundle.frameworks?.descriptor() }
            return configuration
        } catch {
            throw BrokerError(.system, what: "\(error)", place: bundle.identifier)
        }
    }
}

extension Broker {
    /// Opens the private directory that the policy gives the extension, and adds it to the configuration of the launch.
    ///
    /// If the layer `root` is waived and missing, the extension sees the host's files under their own paths, and gets
    /// no private directory.
    func keptDirectory(
        for bundle: ExtensionBundle, policy: Policy, into configuration: inout SandboxConfiguration
    ) throws(BrokerError) -> KeptDirectory? {
        guard let wanted = policy.paths.persistent, launcher.gives(.root), launcher.gives(.mount) else { return nil }
        let kept = try privates.open(
            PrivateKey(app: bundle.containingApp, identifier: bundle.identifier), of: signatures.team(of: bundle),
            as: wanted, for: launcher)
        configuration.persistent = kept.takeCopy()
        configuration.owner = kept.owner
        configuration.environment[Self.privateVariable] = Array(wanted.path.utf8)
        return kept
    }

    /// The environment variable that tells the extension the path of its private directory.
    private static let privateVariable = "ANNEX_PRIVATE_DIRECTORY"
}

extension ExtensionBundle {
    /// The executable's path below the bundle.
    fileprivate var executablePath: String { String(executable.path.dropFirst(directory.path.count + 1)) }
}

extension SessionTerms {
    /// The terms of an extension under the limits of its policy.
    init(_ limits: PolicyLimits, for record: ExtensionRecord) {
        self.init(
            channel: ChannelConfiguration(limits), keepAlive: limits.keepAlive,
            hasPrivateInput: record.point?.hasPrivateInput ?? false)
    }
}

extension ChannelConfiguration {
    /// The configuration of a channel under a policy. The policy's `in-flight` limits how much memory the channel
    /// uses. This is the memory of both rings, both arenas, and one large answer that a host reassembles.
    init(_ limits: PolicyLimits) {
        self.init()
        let half = UInt32(clamping: limits.inFlight / 2)
        while hostCapacity > max(half, 4096) { hostCapacity /= 2 }
        extensionCapacity = hostCapacity
        shareRest(limits.inFlight.subtractingOrZero(UInt64(hostCapacity) + UInt64(extensionCapacity)))
        callLimit = limits.request
        // An extension reads nothing while it works on a request. This work may last as long as the limit for a
        // request, so messages may stay unread for at least that long.
        unreadLimit = max(unreadLimit, limits.request)
        mostOpenCalls = min(mostOpenCalls, max(1, limits.openCalls))
        framesPerSecond = UInt32(clamping: max(0, limits.messages))
        controlMessagesPerSecond = framesPerSecond
    }

    /// Gives each arena at most a quarter of the bytes that the rings leave. The largest message may use all bytes that
    /// remain. If an arena would be smaller than `arenaStep`, there is no arena. In that case, messages are at most as
    /// large as a frame.
    private mutating func shareRest(_ bytes: UInt64) {
        let arena = min(UInt64(hostArena), bytes / 4)
        hostArena = UInt32(clamping: arena - arena % Self.arenaStep)
        extensionArena = hostArena
        let left = bytes.subtractingOrZero(UInt64(hostArena) * 2)
        largestMessage = hostArena == 0 ? 0 : min(largestMessage, UInt32(clamping: left))
    }

    private static var arenaStep: UInt64 { 65_536 }
}

extension UInt64 {
    fileprivate func subtractingOrZero(_ other: UInt64) -> UInt64 {
        self > other ? self - other : 0
    }
}
