import AnnexDaemon
import AnnexLinux
import Glibc
import Logging
import ServiceLifecycle

/// The program's life: what comes before the daemon's run and after it.
struct DaemonLife {
    private let options: DaemonOptions
    private let path: String
    private let logger: Logger
    private let log = LogWriter()

    /// - Parameter isVerbose: whether the brokers' everyday lines are logged, too.
    init(_ options: DaemonOptions, socket path: String, isVerbose: Bool) {
        self.options = options
        self.path = path
        LoggingSystem.bootstrap { [log] label in
            DaemonLogHandler(label, level: isVerbose ? .debug : .info, to: log)
        }
        logger = Logger(label: "annexd")
    }

    /// - Returns: the exit status. Does not come back where the program starts anew.
    func run() -> Int32 {
        defer { log.finish(within: .seconds(1)) }
        let signals = LifeSignals()
        raiseDescriptorLimit()
        do {
            let run = try DaemonRun(options, socket: path, signals: signals, logger: logger)
            // Not where the program starts anew: then nothing comes back.
            defer { run.removeSocket() }
            try complete(run)
            if run.isToStartAnew { try startAnew(run) }
        } catch {
            logger.critical("\(error)")
            return 1
        }
        logger.info("ends")
        return 0
    }

    /// This thread waits meanwhile: it alone has the mask that a program which is executed is to have.
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
                completion.tell(nil)
            } catch {
                completion.tell(error)
            }
        }
        if let error = completion.wait() { throw error }
    }

    /// The program's own file, as it is by now, with the same arguments.
    private func startAnew(_ run: DaemonRun) throws {
        let program = try Self.ownProgram()
        logger.info("starts anew", metadata: ["program": "\(program)"])
        log.finish(within: .seconds(1))
        try run.daemon.listener.handOver(to: program, CommandLine.arguments)
    }

    private static func ownProgram() throws -> String {
        let target = try Descriptor.directory("/proc/self").linkTarget("exe")
        // The link of a file that was replaced ends so.
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }

    /// As many as the machine lets it have: each running extension takes some, and each connection.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
