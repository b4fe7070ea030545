import AnnexLinux
import CTestSupport
public import Foundation
import Synchronization

/// A program that a test has started, by `posix_spawn`.
///
/// Foundation's `Process` reads beyond its list of this process's descriptors if there are more than about 1,350. It also leaves three
/// descriptors of a run loop in each thread that starts a program. The tests run at the same time in one process. They hold thousands of
/// descriptors and count them.
public final class ChildProcess: Sendable {
    /// An input or output of the program.
    public enum Stream: Sendable {
        /// `/dev/null`.
        case none
        /// The same stream as this process has.
        case inherited
        case file(FileHandle)
    }

    public enum End: Equatable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    /// The process number. The kernel may use it again after the program has ended.
    public let number: Int32
    private let outcome: Outcome

    /// Starts a program in a separate process group, without blocked or ignored signals.
    /// - Parameters:
    ///   - environment: all of its variables; nil for those of this process.
    ///   - folder: the working directory of the program; nil for that of this process.
    public init(
        _ program: URL, arguments: [String] = [], environment: [String: String]? = nil, in folder: URL? = nil,
        input: Stream = .none, output: Stream = .inherited, errors: Stream = .inherited
    ) throws {
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        let streams = [
            input.descriptor(STDIN_FILENO), output.descriptor(STDOUT_FILENO), errors.descriptor(STDERR_FILENO),
        ]
        number = try Self.spawn([program.path] + arguments, variables, folder?.path, streams)
        outcome = Outcome()
        reap()
    }

    /// A fixture by its conduct, an executable product by its name, or any program by its path.
    public static func executable(_ name: String) -> URL {
        name.hasPrefix("/") ? URL(filePath: name) : Fixtures.program(name)
    }

    /// The end of the program; nil while it runs.
    public var end: End? { outcome.end }
    public var isRunning: Bool { end == nil }

    /// The program's exit status, or the signal that ended it; nil while the program runs.
    public var status: Int32? {
        switch end {
        case .exited(let status): status
        case .killed(let signal): signal
        case nil: nil
        }
    }

    /// Sends a signal if the program has not ended.
    public func signal(_ signal: Int32) {
        outcome.whileRunning { _ = kill(number, signal) }
    }

    /// Waits for the end without blocking a thread of the pool, because the pool has few threads.
    @discardableResult public func ended() async -> End {
        while true {
            if let end { return end }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Waits for the end on this thread.
    @discardableResult public func waitUntilExit() -> End {
        outcome.wait()
    }

    private func reap() {
        let (number, outcome) = (number, outcome)
        Thread.detachNewThread {
            // The number belongs to the program until it is reaped. The lock guards both the reaping and the sending of signals.
            var info = siginfo_t()
            while waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
            outcome.settle {
                var status: Int32 = 0
                while waitpid(number, &status, 0) < 0 && errno == EINTR {}
                let signal = status & 0x7f
                return signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal: signal)
            }
        }
    }
}

/// The end of a program. One thread reports it, and any thread can wait for it.
private final class Outcome: Sendable {
    private let value = Mutex<ChildProcess.End?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    var end: ChildProcess.End? { value.withLock { $0 } }

    func settle(_ reap: () -> ChildProcess.End) {
        value.withLock { $0 = reap() }
        isSet.signal()
    }

    /// Calls `body` unless the program has been reaped. During the call, the program cannot be reaped.
    func whileRunning(_ body: () -> Void) {
        value.withLock { if $0 == nil { body() } }
    }

    func wait() -> ChildProcess.End {
        while true {
            isSet.wait()
            // This signal wakes the next thread that waits.
            isSet.signal()
            if let end { return end }
        }
    }
}

extension ChildProcess {
    private static func spawn(
        _ words: [String], _ variables: [String], _ folder: String?, _ streams: [Int32]
    ) throws -> Int32 {
        var number: Int32 = 0
        let error = withPointers(to: words) { words in
            withPointers(to: variables) { spawn_program(words[0], words, $0, folder, streams, &number) }
        }
        guard error == 0 else { throw SystemError("posix_spawn", errno: error, path: words[0]) }
        return number
    }

    /// A null-terminated list of C strings.
    private static func withPointers<Result>(
        to texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

extension ChildProcess.Stream {
    /// - Parameter own: the descriptor of the same stream in this process.
    fileprivate func descriptor(_ own: Int32) -> Int32 {
        switch self {
        case .none: SPAWN_STREAM_NONE
        case .inherited: own
        case .file(let handle): handle.fileDescriptor
        }
    }
}
