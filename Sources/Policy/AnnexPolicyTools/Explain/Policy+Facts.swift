package import AnnexPolicy

extension Policy {
    /// One section of a policy that is not about calls, as text.
    struct Fact: Sendable, Hashable {
        let title: String
        let items: [String]
    }

    /// Everything that the policy states besides its rules about calls.
    var facts: [Fact] {
        [
            Fact(title: "Paths", items: pathFacts), Fact(title: "Private directory", items: [privateFact]),
            Fact(title: "Network", items: [network.words]),
            Fact(
                title: "Memory that was writable and becomes executable",
                items: [writeXorExecute ? "never" : "as the rules about mmap and mprotect have it"]),
            Fact(title: "Environment", items: environmentFacts), Fact(title: "Limits", items: limitFacts),
        ]
    }

    private var pathFacts: [String] {
        let visible = visiblePaths.map { "\($0.path) \($0.rights): \($0.reason)" }
        return visible.isEmpty ? ["none: no file exists inside"] : visible
    }

    var privateFact: String {
        switch paths.privateDirectory {
        case .none: "none"
        case .scratch(let size, let inodes):
            "\(paths.privatePath): in memory, \(Quantity.text(bytes: size)), \(inodes) files, gone with the process"
        case .persistent(let size, let inodes):
            "\(paths.privatePath): on disk, \(Quantity.text(bytes: size)), \(inodes) files, kept"
        }
    }

    var environmentFacts: [String] {
        let fixed = environment.fixed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let all = environment.passed.sorted().map { "\($0), from outside" } + fixed
        return all.isEmpty ? ["empty"] : all
    }

    private var limitFacts: [String] {
        limits.values.map { "\($0.name.rawValue): \($0.value.text)" }
    }
}

extension PolicyNetwork {
    var words: String {
        switch self {
        case .none: "none: a namespace without any interface"
        case .loopback: "loopback: a namespace of its own, in which it reaches itself"
        case .host: "host: everything that the host reaches"
        }
    }
}

extension PolicyLimits {
    /// Every limit with its name, in the order of the documentation.
    package var values: [(name: LimitName, value: LimitValue)] {
        LimitName.allCases.map { name in
            let value: LimitValue =
                switch name {
                case .memory: .bytes(memory)
                case .launch: .time(launch)
                case .request: .time(request)
                case .watchdog: .time(watchdog)
                case .grace: .time(grace)
                case .processor: .time(processor)
                case .processes: .count(processes)
                case .descriptors: .count(descriptors)
                case .file: .bytes(file)
                case .output: .bytes(output)
                case .messages: .count(messages)
                case .inFlight: .bytes(inFlight)
                case .openCalls: .count(openCalls)
                case .refusals: .count(refusals)
                case .instances: .count(instances)
                case .keepAlive: .time(keepAlive)
                }
            return (name, value)
        }
    }
}

extension LimitValue {
    /// The value in the notation of policies.
    package var text: String {
        switch self {
        case .bytes(let bytes): Quantity.text(bytes: bytes)
        case .time(let time): Quantity.text(time: time)
        case .count(let count): String(count)
        }
    }
}

extension Quantity {
    /// The shortest exact text: `64M`, `1500`.
    static func text(bytes: UInt64) -> String {
        for (letter, shift) in [("G", 30), ("M", 20), ("K", 10)] as [(String, UInt64)]
        where bytes >= 1 << shift && bytes % (1 << shift) == 0 { return "\(bytes >> shift)\(letter)" }
        return String(bytes)
    }

    /// The shortest exact text: `2min`, `30s`, `500ms`.
    static func text(time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        if milliseconds > 0, milliseconds % 60_000 == 0 { return "\(milliseconds / 60_000)min" }
        return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }
}
