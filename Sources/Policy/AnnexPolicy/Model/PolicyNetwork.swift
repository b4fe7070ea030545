/// The network access of a process.
public enum PolicyNetwork: String, Sendable, Hashable, CaseIterable {
    /// A namespace of its own without any interface.
    case none
    /// A namespace of its own whose only interface is its own loopback.
    case loopback
    /// The host's network, all of it.
    case host
}
