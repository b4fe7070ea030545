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

    static let entries: [Entry] = items.compactMap { item in
        let words = item.parts(between: .space)
        guard words.count == 3 else { return nil }
        return Entry(name: String(words[0]), x86: Int32(words[1]), arm: Int32(words[2]))
    }

    private static var items: [Substring] { numbers.utf8.split(whereSeparator: isSeparator).map(Substring.init) }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == .lineEnd }

    /// The number of one call; nil if this architecture has no such call. A launch calls this function instead of
    /// reading the whole table. Reading the table would take as long as many steps of the launch together.
    static func number(of name: String, on architecture: Architecture) -> Int32? {
        var rest = numbers.utf8[...]
        while !rest.isEmpty {
            let item = rest.prefix { !isSeparator($0) }
            rest = rest.dropFirst(item.count + 1)
            guard item.drop(while: { $0 == .space }).starts(with: name.utf8) else { continue }
            let words = Substring(item).parts(between: .space)
            guard words.count == 3, words[0] == name else { continue }
            return Int32(words[architecture == .x86 ? 1 : 2])
        }
        return nil
    }

    private static func kinds(of architecture: Architecture) -> [String: ArgumentKind] {
        let lines = ArgumentKind.table[...].parts(between: .lineEnd)
        let kinds = lines.compactMap { ArgumentKind(line: $0, architecture: architecture) }
        return Dictionary(kinds.map { ($0.name, $0) }) { first, _ in first }
    }

    private static func signatures(with kinds: [String: ArgumentKind]) -> [String: [SystemCall.Argument]] {
        var result: [String: [SystemCall.Argument]] = [:]
        for line in signatures[...].parts(between: .lineEnd) {
            let words = line.parts(between: .space)
            guard let name = words.first else { continue }
            result[String(name)] = words.dropFirst().compactMap { word in
                let sides = word.parts(between: UInt8(ascii: ":"))
                guard sides.count == 2, let kind = kinds[String(sides[1])] else { return nil }
                return SystemCall.Argument(name: String(sides[0]), kind: kind)
            }
        }
        return result
    }
}

extension Substring {
    /// The parts of a table's text, which is ASCII. Splitting by characters takes several times as long, because each
    /// character's end has to be found.
    func parts(between separator: UInt8) -> [Substring] {
        utf8.split(separator: separator).map(Substring.init)
    }
}

extension UInt8 {
    static let space = UInt8(ascii: " ")
    static let lineEnd = UInt8(ascii: "\n")
}
