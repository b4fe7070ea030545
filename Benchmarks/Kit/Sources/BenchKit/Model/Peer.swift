/// Another product's way to connect two processes, from Debian's packages.
public struct Peer: Sendable {
    public let name: String
    /// Whether the product can look for messages instead of sleeping.
    public let spins: Bool
    /// The packages that are needed to build or run the contender.
    public let packages: [String]

    init(_ name: String, spins: Bool, packages: [String]) {
        self.name = name
        self.spins = spins
        self.packages = packages
    }

    public var remedy: String { "apt-get install \(packages.joined(separator: " ")), then make bench-peers" }
}
