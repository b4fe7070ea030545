internal import AnnexBrokerAPI
internal import AnnexBundle
internal import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy

extension Broker {
    /// The sandbox's configuration for an extension, with the files that were checked when the app was installed.
    static func configuration(
        for bundle: ExtensionBundle, policy: Policy, channel: consuming ExtensionDescriptors
    ) throws(BrokerError) -> SandboxConfiguration {
        guard (try? bundle.executable.isUnchanged()) ?? false else {
            throw BrokerError(
                .invalidBundle, "\(bundle.executable.path) has changed since it was installed",
                place: bundle.identifier, remedy: "install the app again")
        }
        var gifts = DescriptorList(channel.control)
        gifts.append(channel.hostRegion)
        gifts.append(channel.extensionRegion)
        do throws(SystemError) {
            return SandboxConfiguration(
                policy: policy, bundle: try bundle.directory.descriptor.duplicate(),
                executable: try bundle.executable.descriptor.duplicate(), executablePath: bundle.executablePath,
                name: bundle.identifier, gifts: gifts,
                numbers: [
                    ChannelDescriptor.control, ChannelDescriptor.hostRegion, ChannelDescriptor.extensionRegion,
                ])
        } catch {
            throw BrokerError(.system, "\(error)", place: bundle.identifier)
        }
    }
}

extension ExtensionBundle {
    /// The executable's path below the bundle.
    fileprivate var executablePath: String { String(executable.path.dropFirst(directory.path.count + 1)) }
}
