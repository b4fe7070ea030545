internal import AnnexLinux
internal import Glibc

/// A program whose output is read, and which ends within a time. It gets this process's environment.
struct LookupProcess: ~Copyable {
    private let number: pid_t
    private let reading: Descriptor

    init(_ path: String, arguments: [String]) throws(SystemError) {
        var ends = try DescriptorPair.pipe().list()
        guard let reading = ends.takeFirst(), let writing = ends.takeFirst() else {
            throw SystemError("pipe2", errno: EMFILE)
        }
        number = try Self.start([path] + arguments, output: writing)
        self.reading = reading
    }

    private static func start(
        _ words: [String], output: borrowing Descriptor
    ) throws(SystemError) -> pid_t {
        var child: pid_t = 0
        var actions = unsafe posix_spawn_file_actions_t()
        // SAFETY: the list ends with null, its copies live until the call is over, and the actions are destroyed once.
        var list = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe posix_spawn_file_actions_init(&actions)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe list.forEach { unsafe free($0) }
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let result = unsafe posix_spawn(&child, words[0], &actions, nil, &list, environ)
        guard result == 0 else { throw SystemError("posix_spawn", errno: result, path: words[0]) }
        return child
    }

    /// Everything that the program writes; nil if it writes more, or takes longer. The program has ended afterwards.
    consuming func output(atMost most: Int, within limit: Duration) -> [UInt8]? {
        defer { end() }
        let deadline = MonotonicClock.deadline(after: limit)
        var bytes: [UInt8] = []
        while bytes.count <= most {
            guard reading.waitUntilReadable(until: deadline), let more = try? reading.readSome(atMost: 4_096) else {
                return nil
            }
            if more.isEmpty { return bytes }
            bytes += more
        }
        return nil
    }

    /// Ends the program, if it has not ended by itself, and takes its status.
    private func end() {
        kill(number, SIGKILL)
        while waitpid(number, nil, 0) < 0, errno == EINTR {}
    }
}
