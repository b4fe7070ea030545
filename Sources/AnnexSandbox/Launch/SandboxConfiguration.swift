package import AnnexLinux
package import AnnexPolicy

/// One process to sandbox: what it runs, what it may, and what it is given.
package struct SandboxConfiguration: ~Copyable, Sendable {
    /// Where the bundle and the private directory are inside.
    package static let bundlePath = "/bundle"
    package static let privatePath = "/private"

    package let policy: Policy
    /// The bundle's directory as it was checked; bound read-only.
    package var bundle: Descriptor
    /// The executable as it was checked, and its path below the bundle.
    package var executable: Descriptor
    package let executablePath: String
    /// What the program sees as its own name.
    package let name: String
    /// Descriptors that the process is given, and the number of each; 0, 1 and 2 are the sandbox's own.
    package var gifts: DescriptorList
    package let numbers: [Int32]
    /// What becomes of what the policy refuses. Nobody but who launches names another mode than `enforce`.
    package var denials = DenialMode.enforce
    /// Whether refusals go to the program's log as well: not where they are provoked, as a probe does.
    package var isLogged = true
    /// What is asked for. A layer that cannot be had fails the launch; one that is left out here is told as waived.
    package var layers: SandboxLayers = .all

    package init(
        policy: Policy, bundle: consuming Descriptor, executable: consuming Descriptor, executablePath: String,
        name: String, gifts: consuming DescriptorList, numbers: [Int32]
    ) {
        self.policy = policy
        self.bundle = bundle
        self.executable = executable
        self.executablePath = executablePath
        self.name = name
        self.gifts = gifts
        self.numbers = numbers
    }
}
