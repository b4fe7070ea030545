internal import AnnexLinux
internal import AnnexPolicy

extension SandboxConfiguration {
    /// The path of the executable inside: below the bundle for an extension, or the same as on the host for a program.
    func executablePlace(bundle place: String?) -> String { place.map { $0 + "/" + executablePath } ?? executablePath }

    /// The path of the bundle inside: its fixed place in the sandbox's own root, or, without the layer `root`, its
    /// place on the host. nil if there is no bundle.
    func bundlePlace() throws(SandboxError) -> String? {
        guard bundle != nil else { return nil }
        if effectiveLayers.contains(.root) { return PathText.bundle }
        do throws(SystemError) {
            return try bundlePath()
        } catch {
            throw SandboxError("bundle", error)
        }
    }

    private func bundlePath() throws(SystemError) -> String? {
        switch bundle {
        case .some(let bundle): try LaunchPlan.path(of: bundle)
        case .none: nil
        }
    }
}

extension SandboxConfiguration {
    /// The layers asked for, without those that the mode or the policy makes pointless. In a permissive mode the
    /// program is trusted with the files, the network and the services of the calling user. It keeps its own process
    /// and user namespaces, its limits, and no privileges. With `network: host` there is no network to cut off.
    var effectiveLayers: SandboxLayers {
        let wanted = policy.network == .host ? layers.subtracting(.network) : layers
        return denials.isPermissive ? wanted.subtracting([.root, .landlock, .network, .ipc]).together : wanted.together
    }
}

extension SandboxLayers {
    /// The layers without those that need a missing one. Exchanging the root without a mount namespace would exchange
    /// the host's root. Setting clocks without a user namespace would need the right to set the machine's clocks.
    package var together: SandboxLayers {
        let layers = contains(.mount) ? self : subtracting(.root)
        return contains(.user) ? layers : layers.subtracting(.time)
    }
}
