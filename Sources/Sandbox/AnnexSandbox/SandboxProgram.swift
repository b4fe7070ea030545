package import AnnexLaunch
public import AnnexPolicy

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

    /// The machines to which the program may connect, in addition to those of the policy. The policy must give the
    /// program named hosts (`network: hosts`), as the allowance `hosts` does.
    public var hosts: [HostRule] = []
    /// The TCP ports that the program shares with this machine. The policy must give the program a network of its own
    /// (`network: loopback` or `hosts`), as the allowances of these names do.
    public var ports = LocalPorts()
    /// Directories on the host that the program may read, without the places that hold credentials.
    public private(set) var readableWithoutCredentials: [String] = []
    /// Patterns of files and directories, in the directories that are handed over, that the program can neither read
    /// nor change.
    public private(set) var hidden: [String] = []
    /// Patterns of files and directories, in the directories that are handed over, that the program can read and not
    /// change.
    public private(set) var protected: [String] = []
    /// The groups of the shipped list of protected parts that are given up, such as `git`; `all` stands for each group.
    public private(set) var unprotected: [String] = []
    /// Is told in one sentence what the caller should know before the program starts.
    package var partNote: (@Sendable (String) -> Void)? {
        get { note.body }
        set { note.body = newValue }
    }
    private var note = Note()

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

    /// Lets the program read everything below a directory, without the places that hold credentials: keys, tokens,
    /// browsers' profiles, histories and homes of other users. The directory may be a home, or `/`.
    public mutating func readAllButCredentials(_ path: String) { readableWithoutCredentials.append(path) }

    /// Hides files and directories in all directories that are handed over. Opening them fails with `EACCES`.
    ///
    /// The pattern is like one of `.gitignore`: `.env`, `*.pem`, `secrets/`, `config/*.key`. A pattern that begins with
    /// `/` or `~/` names one place. Only what exists when the program starts is hidden.
    public mutating func hide(_ pattern: String) { hidden.append(pattern) }

    /// Keeps files and directories in all directories that are handed over from being changed. The pattern has the form
    /// of those for `hide`.
    public mutating func protect(_ pattern: String) { protected.append(pattern) }

    /// Lets the program change what is otherwise protected in each directory that is handed over for writing: git's
    /// hooks and configuration, shell start files, editors' tasks and similar files.
    /// - Parameter group: the name of a group of the shipped list, or `all`.
    public mutating func unprotect(_ group: String) { unprotected.append(group) }

    /// A closure that does not count when programs are compared.
    private struct Note: Sendable, Hashable {
        var body: (@Sendable (String) -> Void)?

        static func == (one: Note, other: Note) -> Bool { true }

        func hash(into hasher: inout Hasher) {}
    }
}
