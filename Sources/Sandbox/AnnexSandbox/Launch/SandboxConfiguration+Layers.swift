internal import AnnexLinux
internal import AnnexPolicy

extension SandboxConfiguration {
    /// Where the executable is for the program: an extension's below its bundle's place, any other where it is on the
    /// host.
    func executablePlace(bundle place: String?) -> String { place.map { $0 + "/" + executablePath } ?? executablePath }

    /// Where the bundle is for the program: at its place in the sandbox's own root, or, where that layer is left out,
    /// where it is on the host. nil where there is none.
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
    /// What is asked for, without what a sandbox that only reports does without: the program is trusted with the files,
    /// the network and the services of whoever runs it, and keeps its own process and user namespaces, its limits, and
    /// no privileges. Under `network: host` there is nothing to cut off.
    var effectiveLayers: SandboxLayers {
        let wanted = policy.network == .host ? layers.subtracting(.network) : layers
        return denials.isPermissive ? wanted.subtracting([.root, .landlock, .network, .ipc]).together : wanted.together
    }
}

extension SandboxLayers {
    /// Without a mount namespace there is no root of one's own: exchanging the root would exchange the host's. Without a
    /// user namespace there are no clocks of one's own: setting them would take the right to set the machine's.
    package var together: SandboxLayers {
        let layers = contains(.mount) ? self : subtracting(.root)
        return contains(.user) ? layers : layers.subtracting(.time)
    }
}
