internal import AnnexPolicy

/// Reads one entry of `allows:` or `denies:`.
struct ExpectationReader {
    let architecture: Architecture
    let isAllowed: Bool

    /// The expectations of one entry. There are several if the entry lists several paths, and none if this architecture
    /// does not have the call.
    func expectations(_ node: PolicyNode) throws(PolicyError) -> [Expectation] {
        if node.isScalar { return try call(node, arguments: nil, wanted: try wanted([:], of: node), entry: node) }
        let keys = ["call", "with", "path", "rights"] + (isAllowed ? [] : ["answer", "layer"])
        let values = try node.mapping("an expectation", keys: keys)
        let wanted = try wanted(values, of: node)
        if let call = values["call"] {
            guard values["path"] == nil, values["rights"] == nil else {
                throw node.error("an expectation must be about a call or a path, not about both")
            }
            return try self.call(call, arguments: values["with"], wanted: wanted, entry: node)
        }
        guard let path = values["path"] else { throw node.error("an expectation must name a `call` or a `path`") }
        if let with = values["with"] { throw with.error("`with` is for calls; paths have `rights`") }
        return try paths(path, rights: values["rights"], wanted: wanted, entry: node)
    }

    private func wanted(
        _ values: [String: PolicyNode], of node: PolicyNode
    ) throws(PolicyError) -> Expectation.Wanted {
        if isAllowed { return .allowed }
        let answer = try values["answer"].map { node throws(PolicyError) -> Expectation.Answer in
            try node.text("an answer") == "end" ? .end : .errno(try node.answer())
        }
        let layer = try values["layer"].map { node throws(PolicyError) in
            try node.word("layer", among: SandboxLayer.self)
        }
        return .denied(answer: answer, layer: layer)
    }

    private func call(
        _ node: PolicyNode, arguments: PolicyNode?, wanted: Expectation.Wanted, entry: PolicyNode
    ) throws(PolicyError) -> [Expectation] {
        let name = try node.text("a call")
        guard SystemCallTable.allNames.contains(name) else {
            throw node.unknown("system call `\(name)`", name: name, among: SystemCallTable.allNames)
        }
        guard let call = SystemCall(named: name, architecture: architecture) else { return [] }
        var registers = [UInt64](repeating: 0, count: 6)
        for argument in try arguments?.entries("`with`") ?? [] {
            let reader = ArgumentText(call: call)
            let index = try reader.index(argument.name, at: argument.key.place)
            registers[index] = try reader.value(
                try argument.value.text("a value"), of: index, at: argument.value.place)
        }
        return [Expectation(subject: .call(call, arguments: registers), wanted: wanted, place: entry.place)]
    }

    private func paths(
        _ node: PolicyNode, rights: PolicyNode?, wanted: Expectation.Wanted, entry: PolicyNode
    ) throws(PolicyError) -> [Expectation] {
        var wantedRights: PathRights = []
        for item in rights?.oneOrMany() ?? [] {
            let name = try item.text("a right")
            guard let right = PathRights.names.first(where: { $0.name == name })?.right else {
                throw item.unknown("right `\(name)`", name: name, among: PathRights.names.map(\.name))
            }
            wantedRights.formUnion(right)
        }
        var all: [Expectation] = []
        for item in node.oneOrMany() {
            let path = try item.text("a path")
            if let problem = PathText.misspelling(path) { throw item.error(problem) }
            let subject = Expectation.Subject.path(path, wantedRights.isEmpty ? .read : wantedRights)
            all.append(Expectation(subject: subject, wanted: wanted, place: entry.place))
        }
        return all
    }
}
