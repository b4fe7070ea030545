/// A pattern that names parts of what is handed over. The language is that of `.gitignore`, but smaller.
///
/// - A pattern without a slash matches a name at any depth: `.env`, `*.pem`.
/// - A pattern with a slash begins at each directory that is handed over: `config/*.key`, `**/secrets/*.txt`.
/// - A slash at the end matches directories only: `secrets/`.
/// - A pattern that begins with `/` or `~/` names one place of the host.
///
/// `*` stands for any characters of a name, `?` for one character, and `**` for any number of directories.
public struct PathPattern: Sendable, Hashable {
    package enum Form: Sendable, Hashable {
        case name([UInt8])
        case beneath([[UInt8]])
        case place(String)
    }

    /// The pattern as it was written.
    public let text: String
    package let form: Form
    package let matchesDirectoriesOnly: Bool

    /// What is wrong with a text that is no pattern, and what helps.
    public struct Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - text: the pattern as a policy or an option states it.
    ///   - home: the directory for which `~` stands; nil if it stands for none.
    /// - Throws: if the text is no pattern.
    public init(_ text: String, home: String?) throws(Mistake) {
        if let mistake = Self.mistake(in: text) { throw Mistake(description: mistake) }
        var path = text
        if path.hasPrefix("~") {
            guard let home else { throw Mistake(description: "`~` stands for no directory here: write the whole path") }
            guard path == "~" || path.hasPrefix("~/") else {
                throw Mistake(description: "`~NAME` is not known: write the whole path")
            }
            path = home + path.dropFirst()
        }
        let bytes = Array(path.utf8)
        matchesDirectoriesOnly = bytes.count > 1 && bytes.last == Self.slash
        self.text = text
        let parts = bytes.split(separator: Self.slash).map(Array.init)
        if bytes.first == Self.slash {
            guard !parts.contains(where: Self.isWild) else {
                throw Mistake(description: "a pattern that begins with `/` or `~/` names one place: it has no * or ?")
            }
            guard !parts.isEmpty else { throw Mistake(description: "`/` contains every file") }
            form = .place("/" + parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
        } else if parts.count == 1 {
            form = .name(parts[0])
        } else {
            form = .beneath(parts)
        }
    }

    private static let slash = UInt8(ascii: "/")
    private static let any = Array("**".utf8)

    private static func mistake(in text: String) -> String? {
        if text.isEmpty { return "a pattern is empty" }
        if text.utf8.count >= 4096 { return "a pattern must be shorter than 4096 bytes" }
        if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return "a pattern must not contain control characters"
        }
        if text.hasPrefix("!") { return "a pattern has no exceptions (`!`): name what is to be hidden or protected" }
        if text.contains("[") || text.contains("\\") {
            return "`[` and `\\` have no meaning in a pattern: write `?` for one character"
        }
        var parts = text.utf8.split(separator: slash, omittingEmptySubsequences: false).map(Array.init)
        if parts.count > 1, parts.first?.isEmpty == true { parts.removeFirst() }
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        if parts.contains(Array("..".utf8)) || parts.contains([UInt8(ascii: ".")]) {
            return "a pattern has no `.` and no `..`: it begins at each directory that is handed over"
        }
        if parts.contains([]), text != "/" { return "a pattern has an empty part (`//`): remove the slash" }
        return parts == [any] ? "`**` alone matches everything: name a file or directory behind it" : nil
    }

    private static func isWild(_ part: [UInt8]) -> Bool {
        part.contains(UInt8(ascii: "*")) || part.contains(UInt8(ascii: "?"))
    }

    /// The path below each handed-over directory that the pattern names; nil if only a search finds what it matches.
    package var plainPath: String? {
        guard case .beneath(let parts) = form, !parts.contains(where: Self.isWild) else { return nil }
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    /// Whether a search of all handed-over directories is needed.
    package var needsSearch: Bool {
        if case .place = form { return false }
        return plainPath == nil
    }

    /// Whether a pattern that needs a search matches a path.
    /// - Parameter path: the parts of the path, from a handed-over directory on.
    package func matches(_ path: [[UInt8]]) -> Bool {
        switch form {
        case .name(let pattern): path.last.map { Self.glob(pattern, name: $0) } ?? false
        case .beneath(let pattern): Self.glob(pattern, path: path)
        case .place: false
        }
    }

    /// Matches names. Only the last star is tried again, so the time grows with the product of the lengths.
    package static func glob(_ pattern: [UInt8], name: [UInt8]) -> Bool {
        let (star, one) = (UInt8(ascii: "*"), UInt8(ascii: "?"))
        var (at, place) = (0, 0)
        var retry: (pattern: Int, name: Int)?
        while place < name.count {
            if at < pattern.count, pattern[at] == star {
                retry = (at, place)
                at += 1
            } else if at < pattern.count, pattern[at] == one {
                at += 1
                place = after(place, in: name)
            } else if at < pattern.count, pattern[at] == name[place] {
                (at, place) = (at + 1, place + 1)
            } else if let last = retry {
                retry = (last.pattern, last.name + 1)
                (at, place) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == star }
    }

    /// The place behind one character of UTF-8.
    private static func after(_ place: Int, in name: [UInt8]) -> Int {
        var next = place + 1
        while next < name.count, name[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }

    /// Matches paths in the same way. `**` is the star.
    private static func glob(_ pattern: [[UInt8]], path: [[UInt8]]) -> Bool {
        var (at, place) = (0, 0)
        var retry: (pattern: Int, path: Int)?
        while place < path.count {
            if at < pattern.count, pattern[at] == any {
                retry = (at, place)
                at += 1
            } else if at < pattern.count, glob(pattern[at], name: path[place]) {
                (at, place) = (at + 1, place + 1)
            } else if let last = retry {
                retry = (last.pattern, last.path + 1)
                (at, place) = (last.pattern + 1, last.path + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == any }
    }
}
