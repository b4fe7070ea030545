internal import AnnexLinux
public import AnnexPolicy

/// The facts on which entries of a container profile may depend: the machine and the capabilities of the container.
public struct ProfileWorld: Sendable, Hashable {
    /// The two numbers of a kernel's version that profiles compare.
    public struct Kernel: Sendable, Hashable {
        public let major: Int
        public let minor: Int

        /// Reads `4.8` or `6.1.0-13-amd64`; nil if the text does not start with two numbers.
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

    /// The architecture's name in Docker's `arches`.
    var goArchitecture: String {
        switch architecture {
        case .x86: "amd64"
        case .arm: "arm64"
        }
    }

    /// The architecture's name in libseccomp.
    var seccompArchitecture: String {
        switch architecture {
        case .x86: "SCMP_ARCH_X86_64"
        case .arm: "SCMP_ARCH_AARCH64"
        }
    }
}

/// The `includes` or `excludes` of an entry. Docker added these keys to the format.
struct ProfileFilter: Sendable {
    private let capabilities: [String]
    private let architectures: [String]
    private let kernel: ProfileWorld.Kernel?

    init(_ node: JSONNode?) throws(PolicyError) {
        let values = try node?.object(keys: ["caps", "arches", "minKernel"]) ?? [:]
        capabilities = try values["caps"]?.texts() ?? []
        architectures = try values["arches"]?.texts() ?? []
        kernel = try values["minKernel"].map { node throws(PolicyError) in
            guard let kernel = ProfileWorld.Kernel(try node.text()) else { throw node.error("is not a kernel version") }
            return kernel
        }
    }

    /// Whether Docker's rule for `includes` includes the entry. The architecture must be one of those listed, the
    /// container must have every listed capability, and the kernel must be new enough. A demand that the entry does not
    /// state is not checked.
    func allHold(in world: ProfileWorld) -> Bool {
        if !architectures.isEmpty, !architectures.contains(world.goArchitecture) { return false }
        guard capabilities.allSatisfy(world.capabilities.contains) else { return false }
        return kernel.map(world.kernel.isAtLeast) ?? true
    }

    /// Whether Docker's rule for `excludes` excludes the entry. One match is enough: the architecture is listed, the
    /// container has one listed capability, or the kernel is new enough.
    func oneHolds(in world: ProfileWorld) -> Bool {
        if architectures.contains(world.goArchitecture) { return true }
        if capabilities.contains(where: world.capabilities.contains) { return true }
        return kernel.map(world.kernel.isAtLeast) ?? false
    }

    /// The demands as text: `with CAP_SYS_ADMIN`.
    func words(_ word: String) -> [String] {
        let kernels = kernel.map { ["Linux \($0.major).\($0.minor)"] } ?? []
        let all = (capabilities + architectures + kernels).map { Escaped($0, limit: 200).description }
        return all.isEmpty ? [] : ["\(word) \(all.joined(separator: ", "))"]
    }
}
