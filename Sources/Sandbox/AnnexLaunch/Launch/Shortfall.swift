package import AnnexPolicy

/// The layers that this machine cannot provide, and what a sandbox lacks without them.
package struct Shortfall: Sendable, Hashable {
    /// The layers in their usual order.
    package let layers: [SandboxLayer]

    package init(_ layers: [SandboxLayer]) {
        self.layers = layers
    }

    /// The layers whose trials failed. If all trials failed, no process can be made at all. Then no layer is the cause,
    /// and to do without layers does not help.
    package init(missing: [MissingLayer]) {
        layers = missing.count == SandboxLayer.allCases.count ? [] : missing.map(\.layer)
    }

    /// Tries every layer that no option waives. The trial takes as long as some ten launches, so only a launch that
    /// failed is worth it, or a caller that does without whatever is missing.
    package static func ofThisMachine(beyond waived: Set<SandboxLayer> = []) throws(SandboxError) -> Shortfall {
        let launcher = try Launcher.start(waiving: Set(SandboxLayer.allCases))
        defer { launcher.shutDown() }
        return Shortfall(Shortfall(missing: launcher.missingLayers).layers.filter { !waived.contains($0) })
    }

    package var isEmpty: Bool { layers.isEmpty }

    /// The layers that a sandbox under this policy would have.
    package func needed(by policy: Policy) -> Shortfall {
        Shortfall(
            layers.filter { layer in
                switch layer {
                case .network: policy.network.isOwn
                case .processFiles: policy.paths.processFiles != .none
                default: true
                }
            })
    }

    /// The layers by name, and warnings if nothing that is left limits the access to files or the calls.
    package var summary: String {
        ([layers.map(\.rawValue).joined(separator: ", ")] + warnings).joined(separator: "; ")
    }

    /// The options of `annex run` that do without these layers.
    package var options: String { layers.map { "--waive \($0.rawValue)" }.joined(separator: " ") }

    /// What no layer limits any more.
    package var warnings: [String] {
        let hasNoRoot = layers.contains(.root) || layers.contains(.mount)
        let files = "nothing limits the program's access to files, and protected ones such as .git/hooks are open to it"
        return (layers.contains(.seccomp) ? ["nothing limits the system calls of the program"] : [])
            + (hasNoRoot && layers.contains(.landlock) ? [files] : [])
    }
}
