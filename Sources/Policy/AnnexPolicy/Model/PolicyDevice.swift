/// A device node that a policy may list. None of them gives access to hardware.
public enum PolicyDevice: String, Sendable, Hashable, CaseIterable {
    case null, zero, full, random, urandom

    /// The device's path on the host and inside the sandbox, for example `/dev/null`.
    public var path: String { "/dev/" + rawValue }
}
