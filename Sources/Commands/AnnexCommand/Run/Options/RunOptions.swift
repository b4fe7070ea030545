import AnnexLinux
public import AnnexPolicy
import AnnexSandbox
public import ArgumentParser
import Glibc

/// The options of `annex run`.
struct RunOptions {
    var policy = "tool"
    var policies: String?
    var memory: ByteSize?
    var launchLimit: Double?
    var timeout: Double?
    var read: [String] = []
    var write: [String] = []
    var execute: [String] = []
    var writeExecute: [String] = []
    /// The names of allowances, which are shipped additions to a policy.
    var allow: [String] = []
    /// Lines in the form of the list `calls:` of a policy.
    var allowLine: [String] = []
    /// Limits, each as `NAME=VALUE`.
    var limit: [String] = []
    var env: [String] = []
    var directory: String?
    var privateDirectory: String?
    var waive: [SandboxLayer] = []
    var explain = false
    /// Whether the user is asked after a failure whose cause an option can remove.
    var asks = false
    var report: String?
    /// The project file whose options were added; nil if no project file adds any.
    var namingFile: NamingFile?
    /// The program and its arguments.
    var program: [String] = []
}

extension RunOptions {
    /// Reads the plain form of the command line. In this form, each option has its full name and is followed by its
    /// value. Then comes the program, with or without `--` before it. `--explain` and `--ask` have no value.
    ///
    /// Returns nil for any other form. The command's parser then reads or refuses that form. The plain form is read
    /// here, because starting the command's parser takes as long as making the whole sandbox.
    init?(plain arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.first, name.hasPrefix("-") {
            rest.removeFirst()
            if name == "--" { break }
            if name == "--explain" || name == "--ask" {
                if name == "--ask" { asks = true } else { explain = true }
                continue
            }
            guard let value = rest.popFirst(), parse(name, value: value) else { return nil }
        }
        guard !rest.isEmpty else { return nil }
        program = Array(rest)
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
            if name == "--write-execute" {
                write.removeAll { Self.isPlace($0, sameAs: value) }
                execute.removeAll { Self.isPlace($0, sameAs: value) }
            }
            guard parse(name, value: value) else { return false }
        }
        return true
    }

    /// Whether two paths lead to one place. The user may have typed the place in another way.
    private static func isPlace(_ one: String, sameAs other: String) -> Bool {
        if one == other { return true }
        guard let place = GivenPaths.resolved(one) else { return false }
        return place == GivenPaths.resolved(other)
    }

    private mutating func parse(_ name: String, value: String) -> Bool {
        guard !value.hasPrefix("-") else { return false }
        switch name {
        case "--policy": policy = value
        case "--policies": policies = value
        case "--read": read.append(value)
        case "--write": write.append(value)
        case "--execute": execute.append(value)
        case "--write-execute": writeExecute.append(value)
        case "--allow": allow.append(value)
        case "--allow-line": allowLine.append(value)
        case "--limit": limit.append(value)
        case "--env": env.append(value)
        case "--directory": directory = value
        case "--private-directory": privateDirectory = value
        case "--report": report = value
        default: return parseNumber(name, value: value)
        }
        return true
    }

    private mutating func parseNumber(_ name: String, value: String) -> Bool {
        switch name {
        case "--memory":
            memory = ByteSize(argument: value)
            return memory != nil
        case "--timeout":
            timeout = Double(value)
            return timeout.map(Self.isUsable) ?? false
        case "--launch-limit":
            launchLimit = Double(value)
            return launchLimit.map(Self.isUsable) ?? false
        default: return false
        }
    }

    /// The limits that the options set, each as `NAME=VALUE` in the notation of policies.
    var limits: [String] {
        func time(_ name: String, seconds: Double?) -> [String] {
            seconds.map { ["\(name)=\(max(1, Int64(($0 * 1000).rounded())))ms"] } ?? []
        }
        return limit + (memory.map { ["memory=\($0.bytes)"] } ?? []) + time("launch", seconds: launchLimit)
            + time("request", seconds: timeout)
    }

    /// Whether a time limit may have this number of seconds.
    static func isUsable(_ seconds: Double) -> Bool { seconds > 0 && seconds <= 1e6 }
}

/// A number of bytes in the decimal form of policies: `65536`, `64K`, `64M`, `1G`, `1T`.
struct ByteSize {
    let bytes: UInt64

    init?(argument: String) {
        guard !argument.hasPrefix("0x"), let bytes = Quantity.bytes(argument), bytes > 0 else { return nil }
        self.bytes = bytes
    }

    /// - Throws: an error that says how a size is written.
    init(option: String) throws {
        guard let size = ByteSize(argument: option) else {
            throw ValidationError("write \(Quantity.formOfBytes), for example 64M")
        }
        self = size
    }
}

/// A layer as an argument, as in `--waive landlock`.
extension SandboxLayer: ExpressibleByArgument {}

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
