/// What an extension reaches of the network.
public enum PolicyNetwork: String, Sendable, Hashable, CaseIterable {
    /// A namespace of its own without any interface.
    case none
}
