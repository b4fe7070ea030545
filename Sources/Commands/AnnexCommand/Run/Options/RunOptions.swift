import AnnexLinux
import AnnexPolicy
import AnnexSandbox
import Glibc

/// The options of `annex run`.
struct RunOptions {
    var policy = "tool"
    var policies: String?
    var memory: ByteSize?
    var launchLimit: Double?
    /// Infinite if the run has no time limit.
    var timeout: Double?
    var read: [String] = []
    var write: [String] = []
    var execute: [String] = []
    var writeExecute: [String] = []
    /// Directories that the program may read without the places that hold credentials.
    var readAllBut: [String] = []
    /// Patterns of what is hidden or protected in the directories that are handed over.
    var hide: [String] = []
    var protect: [String] = []
    /// The groups of the shipped list of protected parts that are given up.
    var unprotect: [String] = []
    /// The names of allowances, which are shipped additions to a policy.
    var allow: [String] = []
    /// Lines in the form of the list `calls:` of a policy.
    var allowLine: [String] = []
    /// Limits, each as `NAME=VALUE`.
    var limit: [String] = []
    var env: [String] = []
    /// The machines to which the program can connect.
    var hosts: [HostRule] = []
    /// Single ports of this machine and of the program.
    var ports = LocalPorts()
    var directory: String?
    var privateDirectory: String?
    var waive: [SandboxLayer] = []
    /// Whether the program runs without any layer that the machine lacks.
    var bestEffort = false
    var explain = false
    /// Whether the user is asked after a failure whose cause an option can remove.
    var asks = false
    /// Whether the program is ended when the process that started `annex` ends.
    var endsWithParent = false
    var report: String?
    /// Where a line of JSON is written for each event: the number of a descriptor, or a path.
    var jsonEvents: String?
    /// The project file whose options were added; nil if no project file adds any.
    var namingFile: NamingFile?
    /// The program and its arguments.
    var program: [String] = []
}

extension RunOptions {
    /// Reads the words after `run`. Options come first, and then the program, with or without `--` before it. A value
    /// is the next word, or follows a `=`. It does not begin with a hyphen, unless it follows a `=` or the option takes
    /// numbers.
    /// - Throws: the first mistake.
    init(_ words: [String]) throws(WrongOption) {
        var rest = words[...]
        while let word = rest.first, word.hasPrefix("-"), word != "-" {
            rest.removeFirst()
            if word == "--" { break }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = RunOption.named(parts[0]) else { throw Self.unknown(parts[0]) }
            let attached = parts.count > 1 ? String(parts[1]) : nil
            try apply(option, value: Self.value(of: option, attached: attached, rest: &rest))
        }
        program = Array(rest)
        guard !program.isEmpty else { throw WrongOption("name the program to run: annex run -- PROGRAM [ARGUMENT…]") }
    }

    private static func value(
        of option: RunOption, attached: String?, rest: inout ArraySlice<String>
    ) throws(WrongOption) -> String {
        guard let kind = option.value else {
            guard attached == nil else { throw WrongOption("\(option.name) takes no value") }
            return ""
        }
        if let attached { return attached }
        guard let next = rest.first, option.takesHyphen || !next.hasPrefix("-") else {
            throw WrongOption("missing value for \(option.name) <\(kind)>")
        }
        rest.removeFirst()
        return next
    }

    private mutating func apply(_ option: RunOption, value: String) throws(WrongOption) {
        do throws(WrongOption) {
            try option.apply(&self, value)
        } catch {
            throw WrongOption("\(option.name): \(error.description)")
        }
    }

    private static func unknown(_ word: Substring) -> WrongOption {
        let near = NearestName.of(String(word), among: RunOption.all.map(\.name)).map { "; did you mean \($0)?" }
        return WrongOption(
            "unknown option \(Escaped(String(word)))\(near ?? "; options come before the program: annex run --help")")
    }

    /// What comes after some words of an unfinished command line.
    enum State {
        case options
        case value(RunOption)
        case program
    }

    static func state(after words: [String]) -> State {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-", word != "--" else { return .program }
            guard let option = RunOption.named(word[...]), option.value != nil else { continue }
            guard rest.popFirst() != nil else { return .value(option) }
        }
        return .options
    }

    /// Whether the words ask for help: before the program, `--help` or `-h` is an option of this command.
    static func askForHelp(_ words: [String]) -> Bool {
        let isHelp = { (word: String) in word == "--help" || word == "-h" }
        guard let first = words.firstIndex(where: isHelp) else { return false }
        return if case .options = state(after: Array(words[..<first])) { true } else { false }
    }

    /// Adds options to the options of the command line. If a new option gives a path more rights, the path's old option
    /// with fewer rights is removed.
    /// - Parameter words: each option's name, followed by its value.
    /// - Returns: whether every option is known and its value is usable.
    mutating func add(_ words: [String]) -> Bool {
        guard words.count.isMultiple(of: 2) else { return false }
        for index in stride(from: 0, to: words.count, by: 2) {
            let (name, value) = (words[index], words[index + 1])
            if ["--write", "--execute", "--write-execute"].contains(name) {
                read.removeAll { Self.isPlace($0, sameAs: value) }
            }
            if name == "--write" { write.removeAll { Self.isFile($0, in: value) } }
            if name == "--write-execute" {
                write.removeAll { Self.isPlace($0, sameAs: value) }
                execute.removeAll { Self.isPlace($0, sameAs: value) }
            }
            guard let option = RunOption.named(name[...]), option.value != nil, !value.hasPrefix("-"),
                (try? apply(option, value: value)) != nil
            else { return false }
        }
        return true
    }

    /// Whether a path is a file in a directory. Handed over beside the directory, no other file could replace it.
    private static func isFile(_ path: String, in directory: String) -> Bool {
        guard let file = GivenPaths.resolved(path), let place = GivenPaths.resolved(directory) else { return false }
        return file.parentPath == place && HostLookup.isFile(at: file)
    }

    /// Whether two paths lead to one place. The user may have typed the place in another way.
    private static func isPlace(_ one: String, sameAs other: String) -> Bool {
        if one == other { return true }
        guard let place = GivenPaths.resolved(one) else { return false }
        return place == GivenPaths.resolved(other)
    }

    /// The layers that may be missing.
    var dispensable: Set<SandboxLayer> { bestEffort ? Set(SandboxLayer.allCases) : Set(waive) }

    /// The names of all allowances that the options add. Single ports need a network of the program's own, which named
    /// hosts bring along.
    var allowances: [String] {
        let needsHosts = !hosts.isEmpty && !allow.contains("hosts")
        let hasNetwork = ["loopback", "hosts", "network"].contains(where: allow.contains) || needsHosts
        return allow + (needsHosts ? ["hosts"] : []) + (ports.isEmpty || hasNetwork ? [] : ["loopback"])
    }

    /// The limits that the options set, each as `NAME=VALUE` in the notation of policies.
    var limits: [String] {
        func time(_ name: String, seconds: Double?) -> [String] {
            guard let seconds else { return [] }
            return ["\(name)=" + (seconds.isFinite ? "\(max(1, Int64((seconds * 1000).rounded())))ms" : "none")]
        }
        return limit + (memory.map { ["memory=\($0.bytes)"] } ?? []) + time("launch", seconds: launchLimit)
            + time("request", seconds: timeout)
    }
}

/// A number of bytes in the decimal form of policies: `65536`, `64K`, `64M`, `1G`, `1T`.
struct ByteSize {
    let bytes: UInt64

    init?(argument: String) {
        guard !argument.hasPrefix("0x"), let bytes = Quantity.bytes(argument), bytes > 0 else { return nil }
        self.bytes = bytes
    }
}

/// The command line in its original bytes. The parser of arguments handles only text.
enum CommandBytes {
    /// Every word. The first word is the command's own name.
    private static var words: [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { [UInt8](UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }

    /// The bytes of the program's arguments. These are the last words of the command line.
    /// - Throws: an error if an option or the program's name is not UTF-8. As text, such an option or name could be
    ///   mistaken for another one.
    static func arguments(of program: [String]) throws(SandboxError) -> [[UInt8]] {
        let words = words
        let arguments = words.suffix(max(0, program.count - 1))
        for word in words.dropLast(arguments.count) where String(validating: word, as: UTF8.self) == nil {
            throw SandboxError(
                "command line", cause: "\(Escaped(word)) is not UTF-8",
                remedy:
                    "use UTF-8: only the program's arguments, and values that --env passes on by name, may be any bytes"
            )
        }
        return Array(arguments)
    }
}
