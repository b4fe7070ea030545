/// What the entries of a container profile may depend on: the machine and the capabilities of the container.
public struct ProfileWorld: Sendable, Hashable {
    /// A kernel's version, as far as profiles ask for it.
    public struct Kernel: Sendable, Hashable {
        public let major: Int
        public let minor: Int

        /// Reads `4.8` or `6.1.0-13-amd64`; nil for anything that does not start with two numbers.
        public init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(2).map { part in
                part.prefix { $0.isASCII && $0.isNumber }
            }
            guard parts.count == 2, let major = Int(parts[0]), let minor = Int(parts[1]) else { return nil }
            self.major = major
            self.minor = minor
        }

        func isAtLeast(_ other: Kernel) -> Bool { (major, minor) >= (other.major, other.minor) }
    }

    public let architecture: Architecture
    /// Capabilities of the container, for example `CAP_SYS_ADMIN`.
    public let capabilities: Set<String>
    public let kernel: Kernel

    public init(architecture: Architecture = .current, capabilities: Set<String> = [], kernel: Kernel) {
        self.architecture = architecture
        self.capabilities = capabilities
        self.kernel = kernel
    }

    /// The architecture as Docker spells it in `arches`.
    var goArchitecture: String {
        switch architecture {
        case .x86: "amd64"
        case .arm: "arm64"
        }
    }

    /// The architecture as libseccomp spells it.
    var seccompArchitecture: String {
        switch architecture {
        case .x86: "SCMP_ARCH_X86_64"
        case .arm: "SCMP_ARCH_AARCH64"
        }
    }
}
