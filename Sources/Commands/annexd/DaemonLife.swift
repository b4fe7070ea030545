import AnnexDaemon
import AnnexLinux
import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Synchronization

/// The program's life: the steps before and after the daemon's run.
struct DaemonLife {
    private let options: DaemonOptions
    private let path: String
    private let logger: Logger
    private let log = LogWriter()

    /// - Parameter isVerbose: whether routine messages of the brokers are logged too.
    init(_ options: DaemonOptions, socket path: String, isVerbose: Bool) {
        self.options = options
        self.path = path
        LoggingSystem.bootstrap { [log] label in
            DaemonLogHandler(label, level: isVerbose ? .debug : .info, to: log)
        }
        logger = Logger(label: "annexd")
    }

    /// - Returns: the exit status. If the program restarts, this function does not return.
    func run() -> Int32 {
        defer { log.finish(within: .seconds(1)) }
        let signals = LifeSignals()
        raiseDescriptorLimit()
        do {
            let run = try DaemonRun(options, socket: path, signals: signals, logger: logger)
            // A restart replaces this program and never returns here. So the socket is removed only if the program
            // ends, and stays after a restart.
            defer { run.removeSocket() }
            try complete(run)
            if run.isToStartAnew { try startAnew(run) }
        } catch {
            logger.critical("\(error)")
            return 1
        }
        logger.info("has ended")
        return 0
    }

    /// Runs the service while this thread waits. Only this thread has the signal mask that a restarted program must
    /// inherit.
    private func complete(_ run: DaemonRun) throws {
        let group = ServiceGroup(services: [run], logger: logger)
        _ = try WorkerThread("annexd-signals") {
            run.awaitSignal()
            Task { await group.triggerGracefulShutdown() }
        }
        let completion = GroupCompletion()
        Task {
            do {
                try await group.run()
                completion.finish(with: nil)
            } catch {
                completion.finish(with: error)
            }
        }
        if let error = completion.wait() { throw error }
    }

    /// Restarts the program. It executes the file that is now at the program's path, with the same arguments.
    private func startAnew(_ run: DaemonRun) throws {
        let program = try Self.ownProgram()
        logger.info("executes its program again", metadata: ["program": "\(program)"])
        log.finish(within: .seconds(1))
        try run.daemon.listener.handOver(to: program, CommandLine.arguments)
    }

    private static func ownProgram() throws -> String {
        let target = try Descriptor.directory("/proc/self").linkTarget("exe")
        // If the program's file was replaced, the kernel appends this text to the link's target.
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }

    /// Raises the limit of open descriptors as far as the system allows. Each running extension and each connection
    /// needs some descriptors.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// The result of a group of services. A thread can wait for it.
final class GroupCompletion: Sendable {
    private let error = Mutex<(any Error)?>(nil)
    private let isOver = DispatchSemaphore(value: 0)

    /// - Parameter error: the error that ended the group; nil if the group was asked to end.
    func finish(with error: (any Error)?) {
        self.error.withLock { $0 = error }
        isOver.signal()
    }

    func wait() -> (any Error)? {
        isOver.wait()
        return error.withLock { $0 }
    }
}
