import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// The text of a project file, `.annex.yaml`: the options that `annex run` adds for some programs in a directory.
///
/// ```yaml
/// run:
///   - program: make
///     write-execute: [.]
///     allow: [jit]
/// ```
struct ProjectFile: Equatable {
    static let name = ".annex.yaml"

    struct Entry: Equatable {
        /// A name that is looked up in `PATH`, or a path that begins at the directory of the file (`./NAME`).
        let program: String
        /// The options, by their names without the two hyphens. Each option has one or more values.
        var options: [String: [String]]
    }

    private(set) var entries: [Entry] = []

    /// The options that a file may add, in the order in which `text` lists them.
    static let options = [
        "read", "write", "execute", "write-execute", "hide", "protect", "unprotect", "allow", "allow-line",
        "allow-host", "allow-port", "publish", "limit", "memory", "timeout", "env",
    ]
    /// The options whose values are paths.
    static let paths: Set<String> = ["read", "write", "execute", "write-execute"]

    init() {}

    /// - Parameter file: the file's path, for error messages.
    /// - Throws: the first mistake, with its place.
    init(text: String, file: String) throws(PolicyError) {
        let root = try PolicyNode.root(of: text, file: file)
        let values = try root.mapping("a project file", keys: ["run"])
        for node in try values["run"]?.list("`run`") ?? [] {
            entries.append(try Self.entry(node))
        }
    }

    /// What the question about the file can show without a chance of a mistake.
    private static let plain = "must be plain text, without two spaces in a row"

    private static func entry(_ node: PolicyNode) throws(PolicyError) -> Entry {
        let values = try node.mapping("an entry of `run`", keys: ["program"] + options)
        guard let program = values["program"] else { throw node.error("an entry must name its `program`") }
        var entry = Entry(program: try program.text("a program"), options: [:])
        guard PlainText.isUnmistakable(entry.program) else { throw program.error("a program \(plain)") }
        for (name, value) in values where name != "program" {
            for item in value.oneOrMany() {
                let text = try item.text("`\(name)`")
                guard !text.hasPrefix("-") else {
                    throw item.error("a value of `\(name)` must not begin with a hyphen")
                }
                guard PlainText.isUnmistakable(text) else { throw item.error("a value of `\(name)` \(plain)") }
                try rejectUnusable(text, of: name, at: item)
                entry.options[name, default: []].append(text)
            }
        }
        return entry
    }

    /// Rejects a pattern that could not be used. The program would otherwise run with nothing hidden or protected.
    private static func rejectUnusable(_ text: String, of name: String, at item: PolicyNode) throws(PolicyError) {
        guard ["hide", "protect", "unprotect"].contains(name) else { return }
        var options = RunOptions()
        guard let option = RunOption.named("--" + name) else { throw item.error("unknown option `\(name)`") }
        do throws(WrongOption) {
            try option.apply(&options, text)
        } catch {
            throw item.error(error.description)
        }
    }

    /// The options for a program, as the words of a command line: each name is followed by its value.
    func words(for program: String) -> [String] {
        entries.filter { $0.program == program }.flatMap(Self.words)
    }

    static func words(_ entry: Entry) -> [String] {
        options.flatMap { name in (entry.options[name] ?? []).flatMap { ["--" + name, $0] } }
    }

    /// The absolute form of a path in the file. In the file, a path begins at the file's directory. `..` removes the
    /// name before it, even if that name is a link. So a link does not change the meaning of the path.
    static func absolute(_ path: String, in folder: String) -> String {
        PathText.resolved(path.hasPrefix("/") ? path : folder + "/" + path)
    }

    /// The words with absolute paths.
    static func located(_ words: [String], in folder: String) -> [String] {
        paired(words) { name, value in paths.contains(name) ? absolute(value, in: folder) : value }
    }

    /// Changes the values of options.
    static func paired(_ words: [String], change: (_ name: String, _ value: String) -> String) -> [String] {
        stride(from: 0, to: words.count - 1, by: 2).flatMap { index in
            [words[index], change(String(words[index].dropFirst(2)), words[index + 1])]
        }
    }

    /// The places in which the entry lets its program write.
    static func writablePlaces(of entry: Entry, in folder: String) -> [String] {
        ["write", "write-execute"].flatMap { entry.options[$0] ?? [] }.map { absolute($0, in: folder) }
    }

    /// The programs of the file that the program of another entry may change. Such another program can put its own
    /// code at their path, and so gets their options, too.
    func changeablePrograms(in folder: String) -> [String] {
        entries.map(\.program).filter { program in
            guard program.contains("/") else { return false }
            let path = Self.absolute(program, in: folder)
            let paths = [path, Self.real(path)]
            return entries.contains { other in
                let places = Self.writablePlaces(of: other, in: folder).flatMap { [$0, Self.real($0)] }
                return other.program != program
                    && paths.contains { path in places.contains { PathText.isPath(path, within: $0) } }
            }
        }
    }

    private static func real(_ path: String) -> String { (try? HostPath.leading(path).place) ?? path }

    /// Adds options to the entry of a program.
    /// - Parameter words: each option's name, followed by its value.
    mutating func add(_ words: [String], for program: String) {
        let index = entries.firstIndex { $0.program == program } ?? entries.endIndex
        if index == entries.endIndex { entries.append(Entry(program: program, options: [:])) }
        for place in stride(from: 0, to: words.count - 1, by: 2) {
            let name = String(words[place].dropFirst(2))
            let values = entries[index].options[name] ?? []
            if !values.contains(words[place + 1]) { entries[index].options[name] = values + [words[place + 1]] }
        }
    }

    /// The whole text, in the form in which it is written to the file.
    var text: String {
        var lines = [
            "# Options that `annex run` adds for these programs. It asks before it uses a changed file.", "run:",
        ]
        for entry in entries {
            lines.append("  - program: \(PathText.quoted(entry.program))")
            for name in Self.options {
                guard let values = entry.options[name] else { continue }
                lines.append("    \(name): [\(values.map(PathText.quoted).joined(separator: ", "))]")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
