/// What one run of a trusted program did: what a policy for that program has to allow.
///
/// Everything in it comes from the program: names and counts are bounded, and texts are to be escaped where they are
/// shown.
public struct Recording: Sendable, Hashable {
    /// A call with those arguments that choose what it does.
    public struct Call: Sendable, Hashable {
        public let number: Int32
        /// By register; only the bits that the kernel looks at. Addresses, sizes and descriptors are not kept.
        public let arguments: [Int: UInt64]
    }

    /// What was done with one path.
    public struct Use: Sendable, Hashable {
        /// All rights that any call needed; none: that it is there.
        public internal(set) var rights: PathRights = []
        /// Whether the host has it; a program looks for much that is nowhere.
        public internal(set) var exists = false
        /// Whether some call may have made it.
        public internal(set) var makesEntry = false
        /// How many calls named it.
        public internal(set) var count = 0
    }

    /// Whose call numbers these are.
    public let architecture: Architecture
    /// How often each call was made.
    public private(set) var calls: [Call: Int] = [:]
    /// Absolute, by their spelling.
    public private(set) var paths: [String: Use] = [:]
    /// Programs that were executed after the first, by path, and how often.
    public private(set) var programs: [String: Int] = [:]
    /// What found no room: kinds of calls, paths and programs beyond the bounds, each time it was seen.
    public private(set) var dropped = 0

    public static let mostCalls = 4_096
    public static let mostPaths = 16_384

    public init(architecture: Architecture = .current) {
        self.architecture = architecture
    }

    /// Notes one call by its number and registers.
    public mutating func add(call number: Int32, arguments: [UInt64]) {
        let known = SystemCall(number: number, architecture: architecture)
        let key = Call(number: number, arguments: known?.choosing(arguments) ?? [:])
        guard calls[key] != nil || calls.count < Self.mostCalls else { return drop() }
        calls[key, default: 0] += 1
    }

    /// Notes that a call named a path.
    public mutating func add(path: String, rights: PathRights, exists: Bool, makesEntry: Bool = false) {
        guard paths[path] != nil || paths.count < Self.mostPaths else { return drop() }
        var use = paths[path] ?? Use()
        use.rights.formUnion(rights)
        use.exists = use.exists || exists
        use.makesEntry = use.makesEntry || makesEntry
        use.count += 1
        paths[path] = use
    }

    /// Notes that a program was executed.
    public mutating func add(program path: String) {
        guard programs[path] != nil || programs.count < Self.mostPaths else { return drop() }
        programs[path, default: 0] += 1
    }

    private mutating func drop() { dropped += 1 }
}

extension SystemCall {
    /// The registers whose values have names, for those say what the call does.
    fileprivate func choosing(_ registers: [UInt64]) -> [Int: UInt64] {
        var chosen: [Int: UInt64] = [:]
        for (index, argument) in (arguments ?? []).enumerated() where !argument.kind.constants.isEmpty {
            // A directory's descriptor is a number like any other; only its kind has a name, for the working directory.
            guard argument.kind.name != "dirfd", index < registers.count else { continue }
            chosen[index] = registers[index] & argument.kind.mask
        }
        return chosen
    }
}
