/// The names that the error of a line is about without doubt: those in quotes, or else the one directly before the
/// error, as in `touch: cannot touch 'new': Permission denied` and `sh: 1: cannot create ../new: Permission denied`.
///
/// A line may contain other words that look like paths, such as numbers with a full stop and names of source files.
struct ErrorSubjects {
    let names: [String]

    /// - Parameter errno: the errno that the line states.
    init(of errno: Int32, in line: String) {
        // A name with a control character, as the GNU tools write it: 'a'$'\033''b'.
        guard !line.contains("'$'") else {
            names = []
            return
        }
        let quoted = Self.quoted(in: line)
        names = quoted.isEmpty ? Self.before(errno, in: line).map { [$0] } ?? [] : quoted
    }

    /// Each opening quote with the closing quote that belongs to it.
    private static let quotes: [Character: Character] = ["'": "'", "\"": "\"", "`": "'", "‘": "’", "“": "”"]

    /// The texts in quotes. A quote inside a word, as in `can't`, opens no text.
    private static func quoted(in line: String) -> [String] {
        var found: [String] = []
        var rest = line[...]
        var isInWord = false
        // The quotes that do not come again, so that a line of quotes is not searched for each of them.
        var absent: Set<Character> = []
        while let character = rest.popFirst() {
            if !isInWord, let closing = quotes[character], !absent.contains(closing) {
                if let end = rest.firstIndex(of: closing) {
                    if end > rest.startIndex { found.append(String(rest[..<end])) }
                    rest = rest[rest.index(after: end)...]
                } else {
                    absent.insert(closing)
                }
            }
            isInWord = character.isLetter || character.isNumber
        }
        return found
    }

    /// The name directly before the text of the error; nil if there are only words about what failed.
    private static func before(_ errno: Int32, in line: String) -> String? {
        let small = line.lowercased()
        guard small.count == line.count,
            let error = StatedErrors.texts.filter({ $0.1 == errno }).lazy.compactMap({ small.firstRange(of: $0.0) })
                .first
        else { return nil }
        let before = line.prefix(small.distance(from: small.startIndex, to: error.lowerBound))
        guard [": ", " ("].contains(where: before.hasSuffix) else { return nil }
        let parts = before.dropLast(2).split(separator: ": ").map(String.init)
        // The first of several parts is usually the name of the program. In `tar: a: Cannot open: Permission denied`,
        // the file stands before the words about what failed.
        return parts.dropFirst(parts.count > 1 ? 1 : 0).reversed().first { !isDeed($0) }.flatMap(subject)
    }

    /// Calls that programs name in place of a file, as in `ping: socket: Permission denied`.
    private static let calls: Set<String> = [
        "bind", "chmod", "chown", "clone", "connect", "execve", "execvp", "flock", "fork", "fsync", "ftruncate",
        "ioctl",
        "kill", "link", "listen", "mkfifo", "mmap", "mount", "opendir", "ptrace", "rename", "rmdir", "setsockopt",
        "socket", "symlink", "truncate", "unlink", "unshare",
    ]

    /// Words that say what failed.
    private static let failing: Set<String> = ["cannot", "can't", "could", "couldn't", "not", "failed", "unable", "to"]

    /// Words that stand between what failed and the name of the file.
    private static let kinds: Set<String> = [
        "file", "directory", "dir", "output", "regular", "create", "creating", "touch", "save", "saving", "writing",
        "opening", "to", "lock",
    ]

    /// Whether all words of a part are about what failed.
    private static func isDeed(_ part: String) -> Bool {
        part.split(separator: " ").allSatisfy {
            let word = $0.lowercased()
            return failing.contains(word) || StatedErrors.verbs.contains(word)
        }
    }

    /// The last word of a part, if it is the whole part, looks like a path, or follows a word about a file.
    private static func subject(_ part: String) -> String? {
        let words = part.split(separator: " ")
        guard let last = words.last.map(String.init), !failing.contains(last.lowercased()) else { return nil }
        if last.contains("/") { return last }
        guard let before = words.dropLast().last?.lowercased() else { return calls.contains(last) ? nil : last }
        return kinds.contains(before) || StatedErrors.verbs.contains(before) ? last : nil
    }
}
