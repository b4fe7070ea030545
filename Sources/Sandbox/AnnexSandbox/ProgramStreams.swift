package import AnnexLaunch
package import AnnexLinux
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// A program's standard streams, connected to the standard streams of this process. The program never shares an open
/// file description with this process. Otherwise the program could make the description non-blocking, move its offset,
/// or ask for signals on it.
///
/// - A pipe is opened again: the program gets the same pipe with a new description. This process reads nothing from
///   the pipe. So input that the program leaves unread stays in the pipe, for example for the next command of a
///   shell's loop. If the caller wants the program's last words (`LastWords`), this process carries the standard
///   error over a pipe, whatever kind of file it is. Exception: a terminal is replaced as described below.
/// - A regular file for input is opened again at the same offset, and its contents are carried over a pipe. The program
///   gets no descriptor of the file. With a descriptor, it could change the file's mode and times, lock the file, or
///   map it as code.
/// - `/dev/null` and similar devices are opened again.
/// - A terminal is replaced by the sandbox's own terminal.
/// - The bytes of any other file are carried over a pipe. If two descriptors have the same description, they share one
///   pipe, so that the order of their bytes is kept.
/// - Further descriptors that the caller names are treated in the same way, each by the direction in which it is open.
///
/// The program of root runs as another user. So it could not open a pipe of root again by its path, such as
/// `/dev/stderr`. Such pipes for output are therefore carried, and each new pipe belongs to the program's user.
package struct ProgramStreams: ~Copyable {
    /// The program's descriptors 0, 1 and 2.
    private var given = DescriptorList()
    /// Further descriptors of the program, and their numbers.
    private var bridged = DescriptorList()
    private var bridgedNumbers: [Int32] = []
    /// The program's end of the sandbox's own terminal; nil if no stream of this process is a terminal.
    package var terminal: Descriptor?
    /// The master end of the sandbox's own terminal. This process reads and writes it.
    private var master: Descriptor?
    /// A descriptor that reports each opening of the sandbox's own terminal; nil if the keys go to the program from
    /// the beginning.
    private var openings: Descriptor?
    /// The captured output; nil if the caller did not ask for it.
    let captured: CapturedOutput?
    private var inward: [StreamRelay] = []
    private var outward: [(number: Int32, relay: StreamRelay)] = []
    /// Keeps the last bytes that the program writes to its standard error; nil if the caller does not want them.
    private let words: LastWords?

    /// Connects all three streams of this process.
    /// - Parameter closed: the descriptors that were closed when this process began. Other files now have these
    ///   numbers.
    /// - Parameter words: receives what the program writes to its standard error.
    /// - Parameter numbers: further descriptors of this process that the program gets under the same numbers.
    package init(closed: Set<Int32>, words: LastWords, bridging numbers: [Int32] = []) throws(SystemError) {
        captured = nil
        self.words = words
        let terminals = (STDIN_FILENO...STDERR_FILENO).filter { isatty($0) == 1 && !closed.contains($0) }
        if let like = terminals.first { try makeTerminal(like: like) }
        given.append(try input(closed))
        try addOutputs(closed)
        for number in numbers {
            bridged.append(try bridge(number))
            bridgedNumbers.append(number)
        }
    }

    /// Connects the streams as the caller requests them.
    init(_ program: borrowing SandboxProgram, limit: UInt64) throws(SystemError) {
        captured = program.output == .captured ? CapturedOutput(limit: limit) : nil
        words = nil
        switch program.input {
        case .none: given.append(try Descriptor.open("/dev/null", O_RDONLY))
        case .bytes(let bytes): given.append(try carried(from: Self.memory(bytes)))
        case .inherited: given.append(try input([]))
        }
        if let captured {
            for number in [STDOUT_FILENO, STDERR_FILENO] { try capture(number, in: captured) }
        } else {
            try addOutputs([])
        }
    }

    private mutating func capture(_ number: Int32, in captured: CapturedOutput) throws(SystemError) {
        let (reading, writing) = try Self.pipe()
        given.append(Descriptor(owning: writing))
        let relay = try StreamRelay(from: Descriptor(owning: reading)) { bytes in
            captured.add(bytes, isError: number == STDERR_FILENO)
            return nil
        }
        outward.append((number, relay))
    }

    /// A sealed memory file with these bytes, opened read-only at its beginning, so that nothing can change it.
    private static func memory(_ bytes: [UInt8]) throws(SystemError) -> Descriptor {
        let memory = try Descriptor.memfd("annex-input", size: 0)
        try memory.writeAll(bytes)
        try memory.addSeals(.immutable)
        return try memory.reopenedReadOnly()
    }

    /// Hands over the program's ends of the streams for its launch. This process's copies are closed when the returned
    /// list is destroyed.
    package mutating func takeGiven() -> DescriptorList {
        var taken = DescriptorList()
        while let next = given.takeFirst() { taken.append(next) }
        return taken
    }

    /// Hands over the program's ends of the further descriptors for its launch.
    package mutating func giveBridged(to configuration: inout SandboxConfiguration) {
        for number in bridgedNumbers {
            if let end = bridged.takeFirst() { configuration.give(end, as: number) }
        }
    }

    /// The relay between this process's terminal and the program's; nil if the program has no terminal.
    /// - Parameter signalKey: called with SIGINT, SIGQUIT or SIGTSTP before a key goes to the program for which the
    ///   terminal sends this signal.
    package mutating func takeRelay(
        signalKey: @escaping @Sendable (Int32) -> Void
    ) throws(SystemError) -> TerminalRelay? {
        guard let master = master.take() else { return nil }
        return try TerminalRelay(
            master, openings: openings.take(), caller: CallersTerminal(), words: words, signalKey: signalKey)
    }

    private mutating func makeTerminal(like: Int32) throws(SystemError) {
        var master: Int32 = -1
        var end: Int32 = -1
        // SAFETY: the call writes one number through each pointer and keeps no pointer.
        _ = try SystemError.check("posix_openpt", unsafe annex_terminal_pair(like, &master, &end))
        self.master = Descriptor(owning: master)
        terminal = Descriptor(owning: end)
        guard isatty(STDIN_FILENO) == 0 else { return }
        // This call fails, for example, if the user has used up the allowed inotify watches. Even then, the program
        // gets keys after it has changed its terminal's modes.
        let queue = annex_watch_opening(end)
        if queue >= 0 { openings = Descriptor(owning: queue) }
    }

    // MARK: - Input

    private mutating func input(_ closed: Set<Int32>) throws(SystemError) -> Descriptor {
        if closed.contains(STDIN_FILENO) { return try Descriptor.open("/dev/null", O_RDONLY) }
        return try input(of: STDIN_FILENO)
    }

    /// - Parameter isNamed: whether the program opens the descriptor by its path.
    private mutating func input(of number: Int32, isNamed: Bool = false) throws(SystemError) -> Descriptor {
        if isatty(number) == 1, let end = try duplicateOfTerminal() { return end }
        guard let again = try Self.reopened(number, mode: O_RDONLY, isNamed: isNamed) else {
            return try carried(from: Self.duplicate(number))
        }
        return try again.status().kind == .regular ? carried(from: again) : again
    }

    private mutating func bridge(_ number: Int32) throws(SystemError) -> Descriptor {
        let flags = try SystemError.check("fcntl(F_GETFL)", annex_status_flags(number))
        switch flags & O_ACCMODE {
        case O_RDONLY: return try input(of: number, isNamed: true)
        case O_WRONLY: return try output(number, closed: [], words: nil)
        default:
            if isatty(number) == 1, let end = try duplicateOfTerminal() { return end }
            throw SystemError(
                "bridge", errno: EINVAL, path: "/dev/fd/\(number)",
                remedy: "it is open for reading and for writing: open it for one of both (`\(number)<` or `\(number)>`)"
            )
        }
    }

    private mutating func carried(from source: consuming Descriptor) throws(SystemError) -> Descriptor {
        let (reading, writing) = try Self.pipe()
        let given = Descriptor(owning: reading)
        inward.append(try StreamRelay(from: source, to: Descriptor(owning: writing)))
        return given
    }

    private func duplicateOfTerminal() throws(SystemError) -> Descriptor? {
        switch terminal {
        case .some(let end): try end.duplicate()
        case .none: nil
        }
    }

    // MARK: - Output

    private mutating func addOutputs(_ closed: Set<Int32>) throws(SystemError) {
        let isShared = !closed.contains(STDERR_FILENO) && annex_same_description(STDOUT_FILENO, STDERR_FILENO) == 1
        let output = try self.output(STDOUT_FILENO, closed: closed, words: isShared ? words : nil)
        if isShared {
            let error = try output.duplicate()
            given.append(output)
            given.append(error)
        } else {
            given.append(output)
            given.append(try self.output(STDERR_FILENO, closed: closed, words: words))
        }
    }

    private mutating func output(
        _ number: Int32, closed: Set<Int32>, words: LastWords?
    ) throws(SystemError) -> Descriptor {
        // The program's writes must fail, as they would fail on the closed descriptor. So the file is open only for
        // reading.
        if closed.contains(number) { return try Descriptor.open("/dev/null", O_RDONLY) }
        if isatty(number) == 1, let end = try duplicateOfTerminal() { return end }
        if words == nil, let again = try Self.reopened(number, mode: O_WRONLY) { return again }
        let (reading, writing) = try Self.pipe()
        let given = Descriptor(owning: writing)
        let relay = try StreamRelay(from: Descriptor(owning: reading), to: Self.duplicate(number)) { words?.add($0) }
        outward.append((number, relay))
        return given
    }

    /// Whether all output has been passed on. If so, `finish` returns without waiting.
    package var isCarried: Bool { outward.allSatisfy(\.relay.isDone) }

    /// Calls `job` once for each stream, after all output of the stream has been passed on.
    package func whenCarried(_ job: @escaping @Sendable () -> Void) {
        for (_, relay) in outward { relay.whenDone(job) }
    }

    /// Waits until all output has been passed on.
    /// - Returns: the first stream that could not be written to, and the error. nil if no stream failed. EPIPE does not
    ///   count as a failure.
    package consuming func finish() -> (number: Int32, error: SystemError)? {
        var failed: (Int32, SystemError)?
        for (number, relay) in outward {
            guard let errno = relay.finish(), errno != EPIPE else { continue }
            failed = failed ?? (number, SystemError("write", errno: errno))
        }
        return failed
    }

    /// Both ends of a new pipe, as descriptor numbers. The caller must pass each number to a `Descriptor` at once,
    /// which then owns it.
    private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends = try DescriptorPair.pipe().list()
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw SystemError("pipe2", errno: EMFILE)
        }
        // Without this owner, the program cannot open the pipe by its path. If this process is root of a user namespace
        // that lacks this user, the program runs as this process's user, and the call is not needed.
        if isRoot { try? writing.setOwner(IdentityRange.ofPrograms.user, group: IdentityRange.ofPrograms.group) }
        return (reading.release(), writing.release())
    }

    private static var isRoot: Bool { geteuid() == 0 }

    // MARK: - Opening again

    private static func duplicate(_ number: Int32) throws(SystemError) -> Descriptor {
        Descriptor(owning: try SystemError.check("fcntl(F_DUPFD_CLOEXEC)", annex_duplicate(number, 3)))
    }

    /// The same file with a new open file description. nil if the file's bytes must be carried over a pipe, or if the
    /// file cannot be opened.
    /// - Parameter isNamed: whether the program opens the descriptor by its path.
    private static func reopened(
        _ number: Int32, mode: Int32, isNamed: Bool = false
    ) throws(SystemError) -> Descriptor? {
        let held = try duplicate(number)
        let status = try held.status()
        let isMemory = status.kind == .characterDevice && isMemoryDevice(number)
        // Input of root stays in its pipe, because a carrier would take more of it than the program reads.
        let isOpenable = !isRoot || mode == O_RDONLY && !isNamed
        guard status.kind == .pipe && isOpenable || isMemory || (status.kind == .regular && mode == O_RDONLY) else {
            return nil
        }
        let flags = try SystemError.check("fcntl(F_GETFL)", annex_status_flags(number))
        guard flags & O_ACCMODE == mode || flags & O_ACCMODE == O_RDWR else { return nil }
        // Without `O_NONBLOCK`, opening a pipe whose other end is closed would wait until that end is opened.
        guard let again = try? Descriptor.open("/proc/self/fd/\(number)", mode | O_NONBLOCK | O_NOCTTY) else {
            return nil
        }
        _ = try SystemError.check("fcntl(F_SETFL)", annex_start_blocking(again.number))
        if status.kind == .regular { _ = lseek(again.number, lseek(number, 0, SEEK_CUR), SEEK_SET) }
        return again
    }

    /// Whether the file is null, zero, full, random or urandom. Opening one of these devices again gives the program no
    /// new right, because every process may open them.
    private static func isMemoryDevice(_ number: Int32) -> Bool {
        var status = stat()
        // SAFETY: the call fills the structure that it is given and keeps nothing.
        guard unsafe fstat(number, &status) == 0 else { return false }
        let (major, minor) = (status.st_rdev >> 8 & 0xfff, status.st_rdev & 0xff)
        return major == 1 && [3, 5, 7, 8, 9].contains(minor)
    }
}

/// A program's standard output and standard error, kept up to one limit for both together.
final class CapturedOutput: Sendable {
    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var exceeded: (@Sendable () -> Void)?
        var isFull = false
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: UInt64) {
        self.limit = Int(clamping: limit)
    }

    /// Sets a job that is called once when the program writes more than the limit. Bytes beyond the limit are
    /// discarded.
    func whenExceeded(_ job: @escaping @Sendable () -> Void) { state.withLock { $0.exceeded = job } }

    func add(_ bytes: [UInt8], isError: Bool) {
        let job = state.withLock { state -> (@Sendable () -> Void)? in
            let room = max(0, limit - state.output.count - state.errors.count)
            if isError { state.errors += bytes.prefix(room) } else { state.output += bytes.prefix(room) }
            guard bytes.count > room, !state.isFull else { return nil }
            state.isFull = true
            return state.exceeded
        }
        job?()
    }

    var output: [UInt8] { state.withLock { $0.output } }
    var errors: [UInt8] { state.withLock { $0.errors } }
}
