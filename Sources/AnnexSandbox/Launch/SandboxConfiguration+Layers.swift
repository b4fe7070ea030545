internal import AnnexLinux

extension SandboxConfiguration {
    /// Where the bundle is for the program: at its place in the sandbox's own root, or, where that layer is left out,
    /// where it is on the host.
    func bundlePlace() throws(SandboxError) -> String {
        if layers.together.contains(.root) { return Self.bundlePath }
        do throws(SystemError) {
            return try LaunchPlan.path(of: bundle)
        } catch {
            throw SandboxError("bundle", error)
        }
    }
}

extension SandboxLayers {
    /// Without a mount namespace there is no root of one's own: exchanging the root would exchange the host's.
    package var together: SandboxLayers { contains(.mount) ? self : subtracting(.root) }
}
