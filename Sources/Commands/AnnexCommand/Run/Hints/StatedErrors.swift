import AnnexLinux
import AnnexPolicy
import Glibc

/// The errors that a program stated in the last lines of its standard error.
///
/// The program chose these lines, so they are not trusted. They only decide which true cause is named first, and each
/// path in them is examined anew.
struct StatedErrors {
    struct Line {
        let text: String
        /// The errno that the line states. It is 0 if the line says that a file could not be used, but not why.
        let errno: Int32
        /// The absolute paths that the line names.
        let paths: [String]
        /// Those that the error is about without doubt, as they stand in quotes or directly before the error.
        let subjects: [String]

        /// Whether the line is about making or writing a file.
        var makesFile: Bool {
            // A file's own name can contain these words. So words that look like file names are left out.
            let words = text.lowercased().split(separator: " ").filter { !$0.contains("/") && !$0.contains(".") }
            let making = [
                "create", "creat", "creating", "write", "writing", "touch", "mkdir", "save", "saving", "output", "copy",
            ]
            return words.contains { word in making.contains(word.trimmingPunctuation) }
        }

        /// What the line says about the kind of what could not be made.
        var made: Made {
            let small = text.lowercased().replacing("no such file or directory", with: "")
                .replacing("directory nonexistent", with: "")
            let words = Set(small.split { !$0.isLetter })
            if !words.isDisjoint(with: ["mkdir", "directory", "directories", "dir", "tree"]) { return .directory }
            // A shell that cannot write says no more than the name of the file.
            let isOfShell = ["sh: ", "bash: ", "dash: ", "zsh: "].contains(where: small.hasPrefix)
            return isOfShell || words.contains("regular") || words.contains("touch") ? .file : .any
        }

        enum Made {
            case file, directory, any
        }

        /// Whether the line says that something could not be written, made, locked or replaced, but names no path.
        var isAboutUnnamedFile: Bool {
            guard [0, EACCES, EPERM, EROFS, EBUSY, EXDEV].contains(errno) else { return false }
            let words = text.lowercased().split { !$0.isLetter }
            let using = [
                "open", "lock", "database", "journal", "swap", "backup", "temporary", "replace", "unlink", "remove",
            ]
            return makesFile || [EROFS, EBUSY, EXDEV].contains(errno) || words.contains { using.contains(String($0)) }
        }

        /// Whether the line is about opening a file, and not about executing one or loading a library.
        var opensFile: Bool {
            let small = text.lowercased()
            return small.contains("open ") && !small.contains("shared object")
        }
    }

    /// The lines with an error, the last line first.
    let lines: [Line]
    /// The absolute paths in the last lines, with an error or without, the last line first.
    let printed: [String]
    /// All of the last lines in lower case. `mention` looks in this text for errors that have no errno.
    let text: String

    /// The most lines that are read, the most names that are read in a line, and the most paths of all lines.
    private static let most = (lines: 64, names: 16, paths: 64)

    /// - Parameter directory: the working directory, at which relative names begin.
    init(_ bytes: [UInt8], directory: String?) {
        let last = Self.lines(bytes).suffix(Self.most.lines)
        text = last.isEmpty ? "" : last.joined(separator: "\n").lowercased()
        lines = last.reversed().compactMap { line in
            guard let errno = Self.errno(in: line) else { return nil }
            // Only a word beside the error can name a file without a slash or a full stop.
            let rest = Self.withoutProgram(line)
            let words =
                switch errno {
                case EROFS: Self.made(in: rest)
                case EACCES: Self.subject(of: rest, before: "ermission denied")
                case ENOENT: Self.subject(of: rest, before: "o such file or directory")
                default: ""
                }
            let found = Self.paths(in: rest, from: directory, words: words)
            let others = found.isEmpty ? Self.paths(in: line, from: directory, words: "") : found
            let subjects = ErrorSubjects(of: errno, in: line).names.prefix(Self.most.names).compactMap {
                Self.absolute($0, from: directory)
            }
            let first = subjects.filter { others.contains($0) }
            return Line(
                text: line, errno: errno, paths: first + others.filter { !first.contains($0) }, subjects: subjects)
        }
        let printed = last.reversed().flatMap { line in
            Self.names(in: line).map(Self.withoutScheme).filter { $0.hasPrefix("/") }.prefix(Self.most.names)
        }
        self.printed = Array(printed.prefix(Self.most.paths))
    }

    /// Whether one of the last lines contains one of these words. The words must be in lower case.
    func mention(_ words: String...) -> Bool { words.contains { text.contains($0) } }

    /// The words that can be names of calls, in the order of the lines.
    var callNames: [String] { text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init) }

    /// Words of the lines about something missing. Each can be the name of a program.
    var missingNames: [String] {
        let names = lines.filter { $0.errno == ENOENT || $0.errno == 0 }.flatMap { Self.names(in: $0.text) }
        return Array(names.filter { !$0.contains("/") }.prefix(Self.most.paths))
    }

    /// Whether the program printed nothing.
    var isEmpty: Bool { text.isEmpty }

    func states(_ errno: Int32) -> Bool { lines.contains { $0.errno == errno } }

    // MARK: - Lines

    private static func lines(_ bytes: [UInt8]) -> [String] {
        let plain = withoutColours(bytes)
        return plain.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            .map { line in PathText.text(line.prefix(4_096).filter { $0 != 0 }) }
    }

    /// The bytes without the sequences that set colours on a terminal (`ESC [ … letter`).
    private static func withoutColours(_ bytes: [UInt8]) -> [UInt8] {
        var kept: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == 0x1B, rest.first == UInt8(ascii: "[") else {
                kept.append(byte)
                continue
            }
            rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
        }
        return kept
    }

    // MARK: - Errors

    private static let known: [Int32] = [
        EACCES, EPERM, ENOENT, EROFS, ENOSPC, EFBIG, EMFILE, ENOMEM, EAGAIN, EAFNOSUPPORT, ENOSYS, EEXIST, EINVAL,
        EXDEV, EOPNOTSUPP, EBUSY,
    ]
    /// The texts of the C library, and those that programs print in their place.
    static let texts: [(String, Int32)] =
        known.map { (String(cString: strerror($0)).lowercased(), $0) } + HintTable.shipped.errnos

    /// The errno that a line states. Runtimes print the C library's text for the errno, in lower or upper case, or the
    /// errno's name.
    private static func errno(in line: String) -> Int32? {
        let small = line.lowercased()
        if let found = texts.first(where: { small.contains($0.0) }) { return found.1 }
        let words = Set(line.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        return known.first { words.contains(Errno.name($0)) } ?? (isVague(small) ? 0 : nil)
    }

    /// Whether a line in lower case says that a file could not be used, but not why.
    private static func isVague(_ line: String) -> Bool {
        if ["not found", "not exist", "doesn't exist", "not available"].contains(where: line.contains) { return true }
        let failing = [
            "cannot ", "can't ", "can not ", "could not ", "couldn't ", "unable to ", "failed to ", "not be ",
        ]
        let using = ["open", "read", "write", "create", "find", "found", "load", "access"]
        let others = ["readonly database", "read-only database", "does not appear to be a"]
        if others.contains(where: line.contains) { return true }
        return failing.contains(where: line.contains) && using.contains(where: line.contains)
    }

    // MARK: - Paths

    private static let separators: Set<Character> = [
        " ", "\t", "'", "\"", "`", "‘", "’", "“", "”", "(", ")", "[", "]", ",", ";", "=",
    ]

    /// The words of a line, without the signs around them. Each can be the name of a file.
    static func names(in line: String) -> [String] {
        line.split { separators.contains($0) }.map { trimmed($0) }.filter { !$0.isEmpty }
    }

    /// The line without the name of the program that printed it, as in `/usr/bin/ld: cannot open output file prog:
    /// Permission denied`. If only the error follows the first word, this word names the file.
    private static func withoutProgram(_ line: String) -> String {
        guard let end = line.firstRange(of: ": "), !line[..<end.lowerBound].contains(" ") else { return line }
        let rest = line[end.upperBound...]
        return rest.contains(": ") ? String(rest) : line
    }

    /// Words before an error that say what the program did, and do not name the file.
    static let verbs: Set<String> = [
        "open", "mkdir", "create", "write", "read", "execute", "stat", "access", "mkstemp", "mkdtemp", "fopen", "error",
        "fatal", "warning", "failed", "denied",
    ]

    /// The word before the error, as in `sh: out: Permission denied`. If the error is followed by a colon, the word
    /// after it. Empty if the line has neither.
    private static func subject(of line: String, before text: String) -> String {
        guard let error = line.firstRange(of: text) else { return "" }
        if line[error.upperBound...].hasPrefix(": ") { return String(line[error.upperBound...].dropFirst(2)) }
        let before = line[..<error.lowerBound].dropLast()
        guard before.hasSuffix(": ") else { return "" }
        // In `a: Cannot open: Permission denied`, the file stands before the verb.
        let words = before.split(separator: ": ").reversed().compactMap { names(in: String($0)).last }
        return words.first { !verbs.contains($0.lowercased()) } ?? ""
    }

    /// The file that could not be made on a read-only file system. Its name may also stand before an error in brackets.
    private static func made(in line: String) -> String {
        let text = "ead-only file system"
        let beside = subject(of: line, before: text)
        guard beside.isEmpty, let error = line.firstRange(of: text) else { return beside }
        let last = names(in: String(line[..<error.lowerBound].dropLast())).last ?? ""
        return verbs.contains(last.lowercased()) ? "" : last
    }

    /// - Parameter words: a text whose words name files even without a slash or a full stop, if no other word of the
    ///   line has one.
    private static func paths(in line: String, from directory: String?, words: String) -> [String] {
        // The first path in `symlink 'TARGET' -> 'FILE'` is only the text of a link.
        let isLink = line.contains("symlink '")
        let line = isLink ? line.firstRange(of: " -> ").map { String(line[$0.upperBound...]) } ?? line : line
        let plain = names(in: line).map(withoutScheme).filter { $0.contains("/") || $0.contains(".") }
        let paths = (plain.isEmpty ? names(in: words) : plain).compactMap { absolute($0, from: directory) }
        return Array(paths.prefix(most.names))
    }

    private static func absolute(_ name: String, from directory: String?) -> String? {
        name.hasPrefix("/") ? name : directory.map { $0 + "/" + name }
    }

    /// The path of a local address, such as `unix:///run/x.sock` or `file:///srv/x`.
    private static func withoutScheme(_ name: String) -> String {
        for scheme in ["unix://", "file://", "unix:"] where name.hasPrefix(scheme + "/") {
            return String(name.dropFirst(scheme.count))
        }
        return name
    }

    /// The name without a colon or full stop at its end.
    private static func trimmed(_ name: Substring) -> String {
        var name = name
        while let last = name.last, last == ":" || last == "." { name.removeLast() }
        return String(name)
    }
}

extension Substring {
    /// Only the letters of the word, without quotes, brackets and other characters.
    fileprivate var trimmingPunctuation: String { String(filter { $0.isLetter }) }
}
