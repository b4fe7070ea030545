/// The record of one run of a trusted program. It has all calls, paths and programs that a policy for this program must
/// allow.
///
/// All of its contents come from the program. The numbers of calls, paths and programs are bounded. Code that shows a
/// text of the recording must escape the text.
public struct Recording: Sendable, Hashable {
    /// A call with the arguments that choose its effect.
    public struct Call: Sendable, Hashable {
        public let number: Int32
        /// The values by register, with only the bits that the kernel reads. Addresses, sizes and descriptors are not
        /// recorded.
        public let arguments: [Int: UInt64]
    }

    /// The use of one path.
    public struct Use: Sendable, Hashable {
        /// The rights that all calls together needed. Empty if the path only had to exist.
        public internal(set) var rights: PathRights = []
        /// Whether the host has the path. A program also looks for many files that do not exist.
        public internal(set) var exists = false
        /// Whether a call may have created the file.
        public internal(set) var makesEntry = false
        /// The number of calls that named the path.
        public internal(set) var count = 0
    }

    /// The use of an address of IPv4 or IPv6.
    package enum AddressUse: Sendable, Hashable {
        /// The program gave one of its sockets a loopback address, or no particular address.
        case bound
        /// The program connected or sent to a loopback address.
        case loopback
        /// The program connected to another machine over TCP.
        case connected(HostRule)
        /// The program asked a name server.
        case asked
        /// The program used an address beyond this machine in any other way.
        case beyond
    }

    /// The smallest network in which the program reaches every address that it used. If the program connected to a
    /// loopback address but bound no socket itself, another program of this machine listened at that address. In that
    /// case, the program needs the network of the host.
    public var network: PolicyNetwork {
        if addresses.isEmpty { return .none }
        let isOwn = !addresses.contains(.loopback) || addresses.contains(.bound)
        if addresses.contains(.beyond) || !isOwn { return .host }
        return addresses.contains(.asked) || !connections.isEmpty ? .hosts : .loopback
    }

    /// The other machines to which the program connected over TCP, by address and port.
    package var connections: [HostRule] {
        addresses.compactMap { if case .connected(let machine) = $0 { machine } else { nil } }
    }

    /// The architecture of the call numbers.
    public let architecture: Architecture
    /// The number of times that each call was made.
    public private(set) var calls: [Call: Int] = [:]
    /// The use of each path. Paths are absolute, and their spelling is kept.
    public private(set) var paths: [String: Use] = [:]
    /// The programs that were executed after the first program, by path, with the number of executions.
    public private(set) var programs: [String: Int] = [:]
    /// The uses of addresses of IPv4 and IPv6.
    private var addresses: Set<AddressUse> = []
    /// The names that the program asked name servers for.
    package private(set) var questions: Set<HostName> = []
    /// The number of events that were not recorded, because the bound for calls, paths or programs was reached.
    public private(set) var dropped = 0

    /// The most different calls that a recording holds.
    public static let mostCalls = 4_096
    /// The most paths and the most programs that a recording holds.
    public static let mostPaths = 16_384
    /// The most addresses and the most names that a recording holds.
    static let mostHosts = 256

    public init(architecture: Architecture = .current) {
        self.architecture = architecture
    }

    /// Records one call by its number and registers.
    public mutating func add(call number: Int32, arguments: [UInt64]) {
        let known = SystemCall(number: number, architecture: architecture)
        let key = Call(number: number, arguments: known?.choosing(arguments) ?? [:])
        guard calls[key] != nil || calls.count < Self.mostCalls else { return drop() }
        calls[key, default: 0] += 1
    }

    /// Records that a call named a path.
    public mutating func add(path: String, rights: PathRights, exists: Bool, makesEntry: Bool = false) {
        guard paths[path] != nil || paths.count < Self.mostPaths else { return drop() }
        var use = paths[path] ?? Use()
        use.rights.formUnion(rights)
        use.exists = use.exists || exists
        use.makesEntry = use.makesEntry || makesEntry
        use.count += 1
        paths[path] = use
    }

    /// Records that a program was executed.
    public mutating func add(program path: String) {
        guard programs[path] != nil || programs.count < Self.mostPaths else { return drop() }
        programs[path, default: 0] += 1
    }

    /// Records that a call named an address.
    package mutating func add(address use: AddressUse) {
        guard addresses.contains(use) || addresses.count < Self.mostHosts else { return drop() }
        addresses.insert(use)
    }

    /// Records that a call asked a name server for a name.
    package mutating func add(question name: HostName) {
        guard questions.contains(name) || questions.count < Self.mostHosts else { return drop() }
        questions.insert(name)
    }

    private mutating func drop() { dropped += 1 }
}

extension SystemCall {
    /// The values of the registers whose arguments are of a kind with named constants. These values choose the call's
    /// effect.
    fileprivate func choosing(_ registers: [UInt64]) -> [Int: UInt64] {
        var chosen: [Int: UInt64] = [:]
        for (index, argument) in (arguments ?? []).enumerated() where !argument.kind.constants.isEmpty {
            // The descriptor of a directory and the number of a user are plain numbers, so they are not recorded. Their
            // only named constants stand for the working directory, and for the sandbox's own user.
            guard !["dirfd", "user", "group"].contains(argument.kind.name), index < registers.count else { continue }
            chosen[index] = registers[index] & argument.kind.mask
        }
        return chosen
    }
}
