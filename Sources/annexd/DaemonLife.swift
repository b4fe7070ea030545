import AnnexDaemon
import AnnexLinux
import Glibc
import Logging

/// The daemon's life: from the command line to its end, by signals.
///
/// Three signals and one wait: a library for the lives of services (swift-service-lifecycle) would bring three more
/// packages to everybody who builds Annex, for what is forty lines here.
struct DaemonLife {
    private let options: DaemonOptions
    private let path: String
    private let logger: Logger

    init(_ options: DaemonOptions, socket path: String, isVerbose: Bool) {
        self.options = options
        self.path = path
        var logger = Logger(label: "annexd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = isVerbose ? .debug : .info
        self.logger = logger
    }

    /// - Returns: the exit status. Does not come back where the program starts anew.
    func run() -> Int32 {
        // Before there is any thread, so that none of them takes the signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        raiseDescriptorLimit()
        do {
            return try serve(until: signals)
        } catch {
            logger.critical("\(error)")
            return 1
        }
    }

    private func serve(until signals: sigset_t) throws -> Int32 {
        let lock = try StateLock(on: options.state)
        let given = try ListeningSocket.given()
        let isGiven = given != nil
        let daemon = try Daemon(
            options, listener: given ?? ListeningSocket.made(at: path, isForAll: options.isSystem), logger: logger)
        try daemon.start()
        ServiceManager.tellReady()
        logger.info(
            "takes connections", metadata: ["socket": "\(isGiven ? "given" : path)", "state": "\(options.state)"])
        var signals = signals
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 {}
        let startsAnew = signal == SIGHUP
        if startsAnew { ServiceManager.tellReloading() } else { ServiceManager.tellStopping() }
        daemon.leave()
        if startsAnew { try startAnew(daemon) }
        if !isGiven { unlink(path) }
        withExtendedLifetime(lock) {}
        logger.info("ends")
        return 0
    }

    /// The program's own file, as it is by now, with the same arguments.
    private func startAnew(_ daemon: Daemon) throws {
        let arguments = CommandLine.arguments
        // The link of a file that was replaced ends so.
        let program = try Self.ownProgram()
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        logger.info("starts anew", metadata: ["program": "\(program)"])
        try daemon.listener.handOver(to: program, arguments)
    }

    private static func ownProgram() throws -> String {
        let target = try Descriptor.directory("/proc/self").linkTarget("exe")
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
