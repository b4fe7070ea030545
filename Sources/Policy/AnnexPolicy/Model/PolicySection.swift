/// The parts of a policy that are each stated in one place.
package enum PolicySection: Sendable, Hashable {
    case bundle, privateDirectory, processFiles, devices, network, writeXorExecute, environment
    case limit(LimitName)
}

/// A device node that a policy may list. None of them gives access to hardware.
public enum PolicyDevice: String, Sendable, Hashable, CaseIterable {
    case null, zero, full, random, urandom

    /// The device's path on the host and inside the sandbox, for example `/dev/null`.
    public var path: String { "/dev/" + rawValue }
}

/// The network access of a process.
public enum PolicyNetwork: String, Sendable, Hashable, CaseIterable {
    /// A namespace of its own without any interface.
    case none
    /// A namespace of its own whose only interface is its own loopback.
    case loopback
    /// The host's network, all of it.
    case host
}

/// The environment that an extension starts with; nothing else is passed on.
public struct PolicyEnvironment: Sendable, Hashable {
    /// Names whose values are taken from the host.
    public internal(set) var passed: [String] = []
    /// Names with fixed values.
    public package(set) var fixed: [String: String] = [:]

    package init(passed: [String] = [], fixed: [String: String] = [:]) {
        self.passed = passed
        self.fixed = fixed
    }
}
