public import AnnexPolicy

/// A question about a policy, as `annex policy explain` takes it.
public enum PolicyQuestion: Sendable, Hashable {
    /// A question about the whole policy.
    case whole
    /// A question about a call, with the register values that the user stated.
    case call(SystemCall, given: [Int: UInt64])
    /// A question about a path, with the wanted rights.
    case path(String, PathRights)

    /// Reads a question from the words of a command line. The words are empty, or a call (`ptrace`,
    /// `mmap(prot=PROT_EXEC)`, `openat flags=O_WRONLY`, a number), or a path (`/etc/passwd`, `/etc/passwd write`).
    ///
    /// - Throws: an error if a call, argument, value or right is unknown.
    public init(words: [String], architecture: Architecture = .current) throws(PolicyError) {
        guard let first = words.first else {
            self = .whole
            return
        }
        if first.hasPrefix("/") {
            self = .path(first, try Self.rights(Array(words.dropFirst())))
        } else {
            self = try Self.call(words.joined(separator: " "), for: architecture)
        }
    }

    private static func rights(_ words: [String]) throws(PolicyError) -> PathRights {
        var rights: PathRights = []
        for word in words.flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let right = PathRights.names.first(where: { $0.name == word })?.right else {
                throw PolicyError(
                    "unknown right `\(word)`", suggestion: NearestName.of(word, among: PathRights.names.map(\.name)))
            }
            rights.formUnion(right)
        }
        return rights.isEmpty ? .read : rights
    }

    /// Reads a call: `name`, `name(a=b, c=d)` or `name a=b c=d`.
    private static func call(_ text: String, for architecture: Architecture) throws(PolicyError) -> PolicyQuestion {
        let isInBrackets = text.hasSuffix(")")
        let cut = text.firstIndex { $0 == "(" || $0 == " " } ?? text.endIndex
        let name = String(text[..<cut])
        let rest = text[cut...].dropFirst(cut < text.endIndex ? 1 : 0)
        let list = isInBrackets ? rest.dropLast() : rest
        let call = try call(named: name, architecture)
        var given: [Int: UInt64] = [:]
        for part in list.split(whereSeparator: { $0 == "," || $0 == " " }) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                throw PolicyError("`\(part)` is not an argument: write arguments as name=value")
            }
            let reader = ArgumentText(call: call)
            let index = try reader.index(String(sides[0]), at: nil)
            given[index] = try reader.value(String(sides[1]), of: index, at: nil)
        }
        return .call(call, given: given)
    }

    private static func call(named name: String, _ architecture: Architecture) throws(PolicyError) -> SystemCall {
        if let call = SystemCall(named: name, architecture: architecture) { return call }
        if let number = WholeNumber.parse(name).flatMap({ Int32(exactly: $0) }) {
            return SystemCall(number: number, architecture: architecture)
                ?? SystemCall(name: "call \(number)", number: number, architecture: architecture, arguments: nil)
        }
        if SystemCallTable.allNames.contains(name) {
            throw PolicyError("\(architecture.rawValue) has no system call `\(name)`")
        }
        throw PolicyError(
            "`\(name)` is neither a system call nor a path (a path starts with `/`)",
            suggestion: NearestName.of(name, among: SystemCallTable.allNames))
    }
}
