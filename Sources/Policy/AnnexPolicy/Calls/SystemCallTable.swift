/// All system calls of one architecture, read once from the tables in this directory.
package struct SystemCallTable: Sendable {
    let byName: [String: SystemCall]
    package let byNumber: [Int32: SystemCall]
    let kinds: [String: ArgumentKind]

    package static func of(_ architecture: Architecture) -> SystemCallTable {
        switch architecture {
        case .x86: x86
        case .arm: arm
        }
    }

    /// The names of all calls of all architectures. Policies may mention these names.
    package static let allNames: Set<String> = Set(entries.map(\.name))

    private static let x86 = SystemCallTable(architecture: .x86)
    private static let arm = SystemCallTable(architecture: .arm)

    private init(architecture: Architecture) {
        let kinds = Self.kinds(of: architecture)
        let signatures = Self.signatures(with: kinds)
        var byName: [String: SystemCall] = [:]
        var byNumber: [Int32: SystemCall] = [:]
        for entry in Self.entries {
            guard let number = architecture == .x86 ? entry.x86 : entry.arm else { continue }
            let call = SystemCall(
                name: entry.name, number: number, architecture: architecture, arguments: signatures[entry.name])
            byName[entry.name] = call
            byNumber[number] = call
        }
        self.byName = byName
        self.byNumber = byNumber
        self.kinds = kinds
    }
}

extension SystemCallTable {
    /// One entry of `numbers`.
    struct Entry: Sendable {
        let name: String
        let x86: Int32?
        let arm: Int32?
    }

    static let entries: [Entry] = numbers.split { $0 == "," || $0 == "\n" }.compactMap { item in
        let words = item.split(separator: " ")
        guard words.count == 3 else { return nil }
        return Entry(name: String(words[0]), x86: Int32(words[1]), arm: Int32(words[2]))
    }

    private static func kinds(of architecture: Architecture) -> [String: ArgumentKind] {
        let lines = ArgumentKind.table.split(separator: "\n")
        let kinds = lines.compactMap { ArgumentKind(line: $0, architecture: architecture) }
        return Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func signatures(with kinds: [String: ArgumentKind]) -> [String: [SystemCall.Argument]] {
        var result: [String: [SystemCall.Argument]] = [:]
        for line in signatures.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let name = words.first else { continue }
            result[String(name)] = words.dropFirst().compactMap { word in
                let sides = word.split(separator: ":")
                guard sides.count == 2, let kind = kinds[String(sides[1])] else { return nil }
                return SystemCall.Argument(name: String(sides[0]), kind: kind)
            }
        }
        return result
    }
}
