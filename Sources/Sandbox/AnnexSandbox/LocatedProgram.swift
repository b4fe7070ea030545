internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The file to execute for a program's name, found on `PATH`. For a script, it is the script's interpreter.
struct LocatedProgram: ~Copyable {
    /// The file, as a descriptor that only refers to it (`O_PATH`). The launch executes this very file, or fails.
    let object: Descriptor
    /// The file's path, with every link resolved.
    let path: String
    /// The arguments. The program's own name comes first.
    let arguments: [[UInt8]]
    /// The path that the sandbox must show in addition to the policy's own paths: the file itself, or the script.
    let grants: [PathGrant]
    /// The directory of `PATH` in which the program was found; nil if its name is a path.
    let searched: String?
    /// The name that leads to the program or to the script.
    let name: ProgramName?

    /// How many interpreters may themselves be scripts. The kernel has the same limit.
    private static let mostInterpreters = 4
    /// How many bytes of the first line the kernel reads.
    private static let lineLargest = 256

    /// - Throws: `SandboxError` at the step `program`. Its `isMissing` is true if the program does not exist.
    static func find(_ program: SandboxProgram, under policy: Policy) throws(SandboxError) -> LocatedProgram {
        var place = try locate(program.name)
        let searched = program.name.contains("/") ? nil : String(place.dropLast(program.name.count + 1))
        var arguments = [Array(program.name.utf8)] + program.argumentBytes
        var grants: [PathGrant] = []
        var name: ProgramName?
        for round in 0...mostInterpreters {
            let host = try resolve(place)
            let path = host.path
            if round == 0 {
                name = ProgramName(
                    searched == nil ? program.name : place, at: place, in: SandboxProgram.callersDirectory,
                    leadingTo: host)
            }
            name?.pass(host)
            let line = try interpreterLine(of: host.object, at: path)
            try checkExecutable(host.object, at: path, interpreter: line)
            guard let line else {
                if !shows(policy, path: path, rights: [.read, .execute]) {
                    grants.append(grant(path, rights: [.read, .execute], reason: "the program itself"))
                }
                return LocatedProgram(
                    object: Descriptor(owning: host.releaseObject()), path: path, arguments: arguments, grants: grants,
                    searched: searched, name: name)
            }
            if !shows(policy, path: path, rights: .read) {
                grants.append(grant(path, rights: .read, reason: "the script itself"))
            }
            arguments = (line + [path]).map { Array($0.utf8) } + arguments.dropFirst()
            name?.argument += line.count
            place = line[0]
            guard shows(policy, path: place, rights: .execute) else {
                throw unusable(interpreter: place, of: path, under: policy)
            }
        }
        throw SandboxError(
            "program", cause: "\(Escaped(program.name)): too many of its interpreters are scripts themselves")
    }

    // MARK: - Finding the file

    private static func locate(_ name: String) throws(SandboxError) -> String {
        guard !name.isEmpty else { throw missing(name) }
        if name.contains("/") {
            if let path = absolute(name) { return path }
            // In a directory that was removed, there is no program.
            guard !SandboxProgram.isDirectoryRemoved else { throw missing(name) }
            throw SandboxError(
                "program", cause: "\(Escaped(name)) is relative, and \(SandboxProgram.lackOfDirectory)",
                remedy: "name the program by its absolute path, or rename the directory")
        }
        // SAFETY: the text is copied before anything can change the environment again.
        let list = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        for directory in list.split(separator: ":") where directory.hasPrefix("/") {
            let path = "\(directory)/\(name)"
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            let isFile = unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            if isFile, unsafe access(path, X_OK) == 0 { return path }
        }
        throw missing(name)
    }

    /// The absolute path; nil if there is no working directory.
    static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        return SandboxProgram.callersDirectory.map { $0 + "/" + path }
    }

    consuming func takeObject() -> Descriptor { object }

    private static func missing(_ name: String) -> SandboxError {
        SandboxError("program", cause: "there is no program \(Escaped(name))", isMissing: true)
    }

    private static func resolve(_ path: String) throws(SandboxError) -> HostPath {
        do throws(SystemError) {
            let host = try HostPath.resolve(path, trusting: true)
            guard !host.isDirectory else { throw SystemError("exec", errno: EISDIR, path: path) }
            return host
        } catch {
            throw SandboxError("program", error: error, isMissing: error.errno == ENOENT || error.errno == ENOTDIR)
        }
    }

    // MARK: - Paths that the policy shows

    private static func shows(_ policy: Policy, path: String, rights: PathRights) -> Bool {
        guard let real = try? HostPath.resolve(path, trusting: true).path else { return false }
        // If the path and the grant contain no links, this comparison is enough, and nothing more is resolved.
        if let nearest = policy.paths.grants.last(where: { real.isWithin($0.path) }),
            rights.isSubset(of: nearest.rights)
        {
            return true
        }
        let around = policy.paths.grants.filter { grant in
            guard let place = try? HostPath.resolve(grant.path).path else { return false }
            return real.isWithin(place)
        }
        return around.last.map { rights.isSubset(of: $0.rights) } ?? false
    }

    private static func grant(_ path: String, rights: PathRights, reason: String) -> PathGrant {
        PathGrant(path: path, rights: rights, isOptional: false, reason: reason, place: nil)
    }

    // MARK: - Rights

    /// Checks that the caller may execute a file, exactly as the kernel would. The launch of a script executes only the
    /// script's interpreter, so the kernel itself never checks the script.
    private static func checkExecutable(
        _ object: borrowing Descriptor, at path: String, interpreter: [String]?
    ) throws(SandboxError) {
        // SAFETY: the text is a NUL-terminated copy. The path names the open object itself.
        guard unsafe faccessat(AT_FDCWD, "/proc/self/fd/\(object.number)", X_OK, AT_EACCESS) != 0 else { return }
        let error = SystemError("exec", errno: errno, path: path)
        let hasBit = (try? object.status()).map { $0.mode & 0o111 != 0 } ?? true
        guard error.errno == EACCES, !hasBit else {
            throw SandboxError(
                "program", error: error,
                remedy: "you may not execute the file, or its file system is mounted with noexec")
        }
        let file = ShellText.shown(path)
        let named = interpreter.map { words in
            ", or name its interpreter: annex run --read \(file) -- "
                + "\(words.map(ShellText.shown).joined(separator: " ")) \(file)"
        }
        throw SandboxError(
            "program", cause: "\(Escaped(path)) may not be executed: its mode has no bit for execution",
            remedy: "make it executable (chmod +x \(file))" + (named ?? ""))
    }

    /// The error for an interpreter that the sandbox may not execute.
    private static func unusable(interpreter: String, of script: String, under policy: Policy) -> SandboxError {
        let subject = "\(Escaped(script)): its interpreter \(Escaped(interpreter))"
        do throws(SystemError) {
            let real = try HostPath.resolve(interpreter, trusting: true).path
            let grant = GrantOption(for: real, rights: .execute, beside: policy)
            let option = grant.map { ": add \($0.name) \(ShellText.shown($0.path))" } ?? ""
            return SandboxError(
                "program", cause: "\(subject) may not be executed",
                remedy: "the policy \(policy.name) grants no `execute` for it\(option)")
        } catch {
            guard [ENOENT, ENOTDIR].contains(error.errno) else { return SandboxError("program", error: error) }
            return SandboxError(
                "program", cause: "\(subject) does not exist",
                remedy: "correct the first line of the script, or install the interpreter")
        }
    }

    // MARK: - Scripts

    private static let remedyOfFirstLine =
        "write the interpreter's absolute path behind `#!`, or name the interpreter before the script"

    /// The interpreter and at most one argument, which follow `#!`. nil if the file does not begin with `#!`.
    /// - Parameter object: the file, which this function opens again. A file that is not regular is not opened, because
    ///   the opening of a device can have effects.
    private static func interpreterLine(
        of object: borrowing Descriptor, at path: String
    ) throws(SandboxError) -> [String]? {
        let first: [UInt8]
        do throws(SystemError) {
            guard try object.status().kind == .regular else { throw SystemError("exec", errno: EACCES, path: path) }
            first = try object.reopenedReadOnly().read(at: 0, count: lineLargest)
        } catch {
            // A user may be allowed to execute a file but not to read it. Such a file must be a binary, because the
            // interpreter of a script could not read the script.
            if error.call == "open" && error.errno == EACCES { return nil }
            throw SandboxError("program", error: SystemError(error.call, errno: error.errno, path: path))
        }
        guard first.starts(with: "#!".utf8) else { return nil }
        let line = first.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw SandboxError(
                "program", cause: "\(Escaped(path)): its first line is not UTF-8", remedy: remedyOfFirstLine)
        }
        let words = text.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard let interpreter = words.first, interpreter.hasPrefix("/") else {
            throw SandboxError(
                "program", cause: "\(Escaped(path)): its first line names no interpreter by an absolute path",
                remedy: remedyOfFirstLine)
        }
        let argument = words.dropFirst().first.map { $0.trimmed } ?? ""
        return [String(interpreter)] + (argument.isEmpty ? [] : [argument])
    }
}

extension SandboxProgram {
    /// This process's working directory; nil if it was removed, or if its name is not UTF-8.
    package static var callersDirectory: String? {
        guard let directory = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(directory) }
        // SAFETY: the text is copied before it is freed. It must be valid UTF-8, because a repaired name could name
        // another directory.
        return unsafe String(validatingCString: directory)
    }

    /// Why `callersDirectory` is nil.
    static var lackOfDirectory: String {
        switch directoryFault {
        case 0: "the path of the working directory is not UTF-8"
        case ENOENT: "the working directory was removed"
        case let number: "the path of the working directory cannot be found out: \(Errno.text(number))"
        }
    }

    static var isDirectoryRemoved: Bool { directoryFault == ENOENT }

    /// The errno with which the kernel refuses to name the working directory; 0 if it names it.
    private static var directoryFault: Int32 {
        guard let directory = unsafe getcwd(nil, 0) else { return errno }
        // SAFETY: the call above allocated this text, and nothing else has it.
        unsafe free(directory)
        return 0
    }
}

extension Substring {
    /// The text without spaces and tabs at its beginning and end.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " || $0 == "\t" }
        return String(String(start.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }).reversed())
    }
}
