/// A program of the host's to run in a sandbox, with what it is handed.
///
/// Nothing is handed that is not named here or granted by the policy.
public struct SandboxProgram: Sendable, Hashable {
    /// What the program reads as its standard input.
    public enum Input: Sendable, Hashable {
        /// Nothing: the end at once.
        case none
        case bytes([UInt8])
        /// Whatever this process's own input is; never the same open file description.
        case inherited
    }

    /// Where its standard output and its standard error go.
    public enum Output: Sendable, Hashable {
        /// Into the result, each by itself. More than the policy's `output` in all ends the program (`outputLimit`).
        case captured
        /// Into this process's own; never the same open file description. Without a limit.
        case inherited
    }

    /// A path of the host's, or a name that is looked for on `PATH`. Scripts name their interpreter on their first line.
    public var name: String
    /// What follows its name. Bytes that are no UTF-8 are read as U+FFFD here, and kept in `argumentBytes`.
    public var arguments: [String] {
        get { argumentBytes.map { String(decoding: $0, as: UTF8.self) } }
        set { argumentBytes = newValue.map { Array($0.utf8) } }
    }
    /// The arguments as the program gets them, each without its NUL: of any bytes, as `execve` takes them.
    public var argumentBytes: [[UInt8]]
    /// Beside what the policy sets and passes; a name that both know has this value.
    public var environment: [String: String] {
        get { environmentBytes.mapValues { String(decoding: $0, as: UTF8.self) } }
        set { environmentBytes = newValue.mapValues { Array($0.utf8) } }
    }
    /// The environment's values as the program gets them, of any bytes.
    public var environmentBytes: [String: [UInt8]] = [:]
    /// Its working directory on the host, where the sandbox shows it; else its private directory, else the root.
    public var directory: String?
    public var input = Input.none
    public var output = Output.captured
    /// Paths of the host's that it may read, and directories or files that it may change, beside the policy's own.
    public private(set) var readable: [String] = []
    public private(set) var writable: [String] = []

    public init(_ name: String, _ arguments: [String] = []) {
        self.name = name
        argumentBytes = arguments.map { Array($0.utf8) }
    }

    /// Lets it read a file, or everything below a directory, under the same path as on the host.
    public mutating func read(_ path: String) { readable.append(path) }

    /// Lets it change a file, or make and change files below a directory, under the same path as on the host. What it
    /// must exist already; nothing there can be executed.
    public mutating func write(_ path: String) { writable.append(path) }
}
