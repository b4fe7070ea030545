package import AnnexLaunch
package import AnnexPolicy

/// A program on the host to run in a sandbox, with its arguments, paths and streams.
///
/// The program gets only what is named here or granted by the policy.
public struct SandboxProgram: Sendable, Hashable {
    /// The source of the program's standard input.
    public enum Input: Sendable, Hashable {
        /// No bytes: the program reads the end of the input at once.
        case none
        /// These bytes, then the end of the input.
        case bytes([UInt8])
        /// This process's own standard input. The program never uses the same open file description.
        case inherited
    }

    /// The destination of the program's standard output and standard error.
    public enum Output: Sendable, Hashable {
        /// The output becomes a part of the run's result, where each stream is kept separately. If both streams
        /// together exceed the policy's limit `output`, the program is ended (`outputLimit`).
        case captured
        /// This process's own streams. The program never uses the same open file descriptions. There is no limit.
        case inherited
    }

    /// The path of the program on the host, or a name to search for on `PATH`. If the program is a script, its first
    /// line names its interpreter.
    public var name: String
    /// The arguments after the program's name. Here, bytes that are not UTF-8 are replaced by U+FFFD; `argumentBytes`
    /// keeps them.
    public var arguments: [String] {
        get { argumentBytes.map { String(decoding: $0, as: UTF8.self) } }
        set { argumentBytes = newValue.map { Array($0.utf8) } }
    }
    /// The arguments as the program gets them, each without its NUL byte. All other bytes are allowed, as in `execve`.
    public var argumentBytes: [[UInt8]]
    /// Environment variables in addition to the variables that the policy sets and passes. A value here replaces the
    /// policy's value with the same name.
    public var environment: [String: String] {
        get { environmentBytes.mapValues { String(decoding: $0, as: UTF8.self) } }
        set { environmentBytes = newValue.mapValues { Array($0.utf8) } }
    }
    /// The values of `environment` as the program gets them. Their bytes need not be UTF-8.
    public var environmentBytes: [String: [UInt8]] = [:]
    /// The working directory on the host, which the sandbox must show. If nil, the working directory is the first of
    /// these directories that the sandbox has: this process's working directory, the private directory, the root.
    public var directory: String?
    /// The source of the standard input.
    public var input = Input.none
    /// The destination of the standard output and error.
    public var output = Output.captured
    /// Paths on the host that the program may read in addition to the policy's paths.
    public private(set) var readable: [String] = []
    /// Files and directories on the host that the program may change in addition to the policy's paths.
    public private(set) var writable: [String] = []
    /// Files and directories on the host that the program may read and execute in addition to the policy's paths.
    public private(set) var executable: [String] = []
    /// Directories on the host in which the program may execute what it wrote.
    public private(set) var writableCode: [String] = []

    /// Whether the program gets those variables of this process that name places which are handed over.
    package var keepsCallersEnvironment = false
    /// The signals that the program ignores and blocks when it begins.
    package var signals = SignalSetting.none

    /// The TCP ports that the program shares with this machine. The policy must give the program a network of its own
    /// (`network: loopback`), as the allowance `loopback` does.
    public var ports = LocalPorts()

    /// The file that names some of these paths; nil if no file names any of them.
    package var namingFile: NamingFile?

    /// A program with its arguments. It has no further paths, variables or input.
    public init(_ name: String, arguments: [String] = []) {
        self.name = name
        argumentBytes = arguments.map { Array($0.utf8) }
    }

    /// Lets the program read a file, or everything below a directory, under the same path as on the host.
    public mutating func read(_ path: String) { readable.append(path) }

    /// Lets the program change a file, or create and change files below a directory, under the same path as on the
    /// host. The path must exist already. Nothing there can be executed.
    public mutating func write(_ path: String) { writable.append(path) }

    /// Lets the program read and execute a file, or everything below a directory, under the same path as on the host.
    /// The program cannot change this file or directory, even if it lies in a directory that the program may change.
    public mutating func execute(_ path: String) { executable.append(path) }

    /// Lets the program change a file or directory as `write` does, and execute files that it wrote there, even under a
    /// policy with `write-xor-execute: on`. An attacker who takes over the program can then execute files of their
    /// own at this path. The report names the path.
    public mutating func writeAndExecute(_ path: String) { writableCode.append(path) }
}
