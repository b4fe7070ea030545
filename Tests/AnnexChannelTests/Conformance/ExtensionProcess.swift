import AnnexLinux
import Foundation
import Synchronization

@testable import AnnexChannel

/// An extension in a separate process, without a sandbox.
final class ExtensionProcess: RunningExtension, Sendable {
    private let process: pid_t
    /// The wait status of the process, after a wait for its end.
    private let status = Mutex<Int32>(-1)

    /// Whether the process exited with 0.
    var hasEndedWell: Bool { status.withLock { $0 == 0 } }

    /// Starts an extension over rings.
    init(_ arguments: [String], _ ends: consuming ExtensionDescriptors) throws {
        // The descriptors first move above the numbers that they will get in the new process.
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

    /// Starts an extension over a socket.
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

    /// Whether the process is stopped, or has ended in any way.
    var isStoppedOrDead: Bool { state() != 0 }

    /// Whether the process has ended by itself, with any exit code.
    var hasLeft: Bool { state() == CLD_EXITED }

    func resume() {
        Foundation.kill(process, SIGCONT)
    }

    /// The last state of the process, which the kernel keeps for later questions.
    private func state() -> Int {
        var info = siginfo_t()
        waitid(P_PID, id_t(process), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT)
        return Int(info.si_code)
    }

    /// Kills the process in any state, and waits for its end.
    func kill() {
        Foundation.kill(process, SIGKILL)
        join()
    }

    /// If a test traps, this process may outlive it. The end of that test is known only after no process holds the
    /// test's output open, so this process closes its copy.
    private static func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
        typealias Add = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // Swift's import of the C library lacks this function.
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
        // Python must find its own files, and must write none beside the files of this project.
        let variables = ["PATH=/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1"]
        let settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        defer { for word in words + settings { free(word) } }
        let failure = posix_spawn(&process, arguments[0], &actions, nil, words + [nil], settings + [nil])
        guard failure == 0 else { throw SystemError("posix_spawn", errno: failure, path: arguments[0]) }
        return process
    }
}
