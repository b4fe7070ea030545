internal import AnnexLinux
internal import AnnexPolicy

/// The `includes` or `excludes` of an entry, which Docker added to the format.
struct ProfileFilter: Sendable {
    private let capabilities: [String]
    private let architectures: [String]
    private let kernel: ProfileWorld.Kernel?

    init(_ node: JSONNode?) throws(PolicyError) {
        let values = try node?.object(keys: ["caps", "arches", "minKernel"]) ?? [:]
        capabilities = try values["caps"]?.texts() ?? []
        architectures = try values["arches"]?.texts() ?? []
        kernel = try values["minKernel"].map { node throws(PolicyError) in
            guard let kernel = ProfileWorld.Kernel(try node.text()) else { throw node.error("is no kernel version") }
            return kernel
        }
    }

    /// Whether the entry is included, by Docker's rule: the architecture is listed, the container has every capability,
    /// and the kernel is new enough.
    func allHold(in world: ProfileWorld) -> Bool {
        if !architectures.isEmpty, !architectures.contains(world.goArchitecture) { return false }
        guard capabilities.allSatisfy(world.capabilities.contains) else { return false }
        return kernel.map(world.kernel.isAtLeast) ?? true
    }

    /// Whether the entry is excluded, by Docker's rule: any one of the conditions holds.
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
