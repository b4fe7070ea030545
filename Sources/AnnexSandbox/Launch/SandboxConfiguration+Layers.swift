internal import AnnexLinux

extension SandboxConfiguration {
    /// Where the bundle is for the program: at its place in the sandbox's own root, or, where that layer is left out,
    /// where it is on the host.
    func bundlePlace() throws(SandboxError) -> String {
        if effectiveLayers.contains(.root) { return Self.bundlePath }
        do throws(SystemError) {
            return try LaunchPlan.path(of: bundle)
        } catch {
            throw SandboxError("bundle", error)
        }
    }
}

extension SandboxConfiguration {
    /// What is asked for, without what a sandbox that only reports does without: the program is trusted with the files,
    /// the network and the services of whoever runs it, and keeps its own process and user namespaces, its limits, and
    /// no privileges.
    var effectiveLayers: SandboxLayers {
        denials.isPermissive ? layers.subtracting([.root, .landlock, .network, .ipc]).together : layers.together
    }
}

extension SandboxLayers {
    /// Without a mount namespace there is no root of one's own: exchanging the root would exchange the host's.
    package var together: SandboxLayers { contains(.mount) ? self : subtracting(.root) }
}
