import AnnexLinux
import Foundation
import Synchronization

@testable import AnnexChannel

/// An extension as a process of its own, without a sandbox.
final class ExtensionProcess: RunningExtension, Sendable {
    private let process: pid_t
    /// Its wait status, once it was waited for.
    private let status = Mutex<Int32>(-1)

    /// Exited with 0.
    var hasEndedWell: Bool { status.withLock { $0 == 0 } }

    /// Over rings.
    init(_ arguments: [String], _ ends: consuming ExtensionDescriptors) throws {
        // The descriptors first move above the numbers that they will get.
        let control = try ends.control.duplicate(atLeast: 20)
        let hostRegion = try ends.hostRegion.duplicate(atLeast: 20)
        let extensionRegion = try ends.extensionRegion.duplicate(atLeast: 20)
        process = try Self.spawn(
            arguments,
            [
                (control.number, ChannelDescriptor.control), (hostRegion.number, ChannelDescriptor.hostRegion),
                (extensionRegion.number, ChannelDescriptor.extensionRegion),
            ])
    }

    /// Over a socket.
    init(_ arguments: [String], socket: borrowing Descriptor) throws {
        let socket = try socket.duplicate(atLeast: 20)
        process = try Self.spawn(arguments, [(socket.number, ChannelDescriptor.control)])
    }

    deinit {
        if status.withLock({ $0 == -1 }) { kill() }
    }

    func join() {
        status.withLock { _ = waitpid(process, &$0, 0) }
    }

    /// Whether it is stopped, or has ended in whatever way.
    var isStoppedOrDead: Bool { state() != 0 }

    /// Whether it has ended by itself, with any exit code.
    var hasLeft: Bool { state() == CLD_EXITED }

    func resume() {
        Foundation.kill(process, SIGCONT)
    }

    /// Its last state, which the kernel keeps for later questions.
    private func state() -> Int {
        var info = siginfo_t()
        waitid(P_PID, id_t(process), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT)
        return Int(info.si_code)
    }

    /// Ends it, whatever it does, and waits for its end.
    func kill() {
        Foundation.kill(process, SIGKILL)
        join()
    }

    /// An executable product that was built with the tests.
    static func path(of name: String) -> String {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
    }

    /// The process may outlive a test that traps. The end of that test is known only once no process holds its output
    /// open.
    private static func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
        typealias Add = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // Glibc's import lacks the name.
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { return }
        _ = unsafeBitCast(symbol, to: Add.self)(&actions, ChannelDescriptor.extensionRegion + 1)
    }

    private static func spawn(_ arguments: [String], _ descriptors: [(Int32, Int32)]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
        closeOthers(&actions)
        var process: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        // Python must find its own files, and leave none of its own beside ours.
        let variables = ["PATH=/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1"]
        let settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        defer { for word in words + settings { free(word) } }
        let failure = posix_spawn(&process, arguments[0], &actions, nil, words + [nil], settings + [nil])
        guard failure == 0 else { throw SystemError("posix_spawn", errno: failure, path: arguments[0]) }
        return process
    }
}
