/// A device node that a policy may ask for: none of them leads anywhere.
public enum PolicyDevice: String, Sendable, Hashable, CaseIterable {
    case null, zero, full, random, urandom

    /// For example `/dev/null`, on the host and inside alike.
    public var path: String { "/dev/" + rawValue }
}
