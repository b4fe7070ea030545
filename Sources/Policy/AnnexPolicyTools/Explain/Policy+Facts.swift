internal import AnnexPolicy

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
