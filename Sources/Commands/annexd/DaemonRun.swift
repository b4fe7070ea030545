import AnnexBrokerAPI
import AnnexDaemon
import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Synchronization

/// One run of the daemon as a service, from listening to shutting down.
final class DaemonRun: Service {
    private let path: String
    private let options: DaemonOptions
    private let logger: Logger
    /// The lock of the daemon's state. It is held until the program ends or restarts. After a restart, the program
    /// takes the lock again. If another daemon has taken the lock first, that daemon keeps the state. This program then
    /// prints an error and ends.
    private let lock: StateLock
    let daemon: Daemon
    private let signals: LifeSignals
    private let signal = Mutex<Int32?>(nil)
    private let startsAnew = Mutex(false)

    /// Begins to listen. If a client connects before `run` is called, the client waits.
    init(_ options: DaemonOptions, socket path: String, signals: LifeSignals, logger: Logger) throws {
        self.path = path
        self.signals = signals
        self.options = options
        self.logger = logger
        lock = try StateLock(on: options.state)
        let listener = try ListeningSocket.given() ?? ListeningSocket.made(at: path, isForAll: options.isSystem)
        let isGiven = listener.isGiven
        do {
            daemon = try Daemon(options, listener: listener, logger: logger)
        } catch {
            if !isGiven { unlink(path) }
            throw error
        }
    }

    /// Whether the program must restart with the same socket instead of ending.
    var isToStartAnew: Bool { startsAnew.withLock { $0 } }

    /// Waits for the signal that ends the run. A SIGHUP does not end the run if the new start would fail.
    func awaitSignal() {
        var next = signals.next()
        while next == SIGHUP && !canStartAnew() { next = signals.next() }
        let last = next
        signal.withLock { $0 = last }
    }

    private func canStartAnew() -> Bool {
        do throws(BrokerError) {
            try options.checkFolders()
            return true
        } catch {
            logger.error("the daemon goes on as before and does not start anew: \(error)")
            // The service manager waits for the end of each reload, even if nothing was reloaded.
            ServiceManager.reportReloading()
            ServiceManager.reportReady()
            return false
        }
    }

    /// Runs until the daemon is asked to end or to restart.
    func run() async throws {
        try daemon.start()
        daemon.resumeTransfers()
        ServiceManager.reportReady()
        logger.info(
            "takes connections",
            metadata: ["socket": "\(daemon.listener.isGiven ? "given" : path)", "state": "\(options.state)"])
        // If the task is cancelled, this call throws, and the daemon shuts down in the same way.
        try? await gracefulShutdown()
        let hangsUp = signal.withLock { $0 == SIGHUP }
        if hangsUp { ServiceManager.reportReloading() } else { ServiceManager.reportStopping() }
        await leave()
        guard hangsUp else { return }
        // If a signal to end the program arrived during the shutdown, the program ends and does not restart.
        if signals.endIsAsked { return ServiceManager.reportStopping() }
        startsAnew.withLock { $0 = true }
    }

    /// Shuts the daemon down, on another thread. This takes seconds if extensions or hosts are slow, so the work must
    /// not block a thread of Swift's pool.
    private func leave() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [daemon] in
                daemon.leave()
                continuation.resume()
            }
        }
    }

    /// Removes the socket, unless the service manager passed it to the daemon.
    func removeSocket() {
        if !daemon.listener.isGiven { unlink(path) }
    }
}

/// The signals that end a daemon's run.
///
/// Only one signal is taken. Later signals stay pending for the process, and the new program inherits them when it is
/// executed. The signal sources of swift-service-lifecycle would take later signals too. So a SIGTERM directly after a
/// SIGHUP would be lost (`Docs/Design/Daemon.md`).
struct LifeSignals: Sendable {
    private static let ending = [SIGTERM, SIGINT]
    private let set: sigset_t

    /// Blocks the signals from now on. Call this initialiser before any thread starts. Then no thread takes a signal,
    /// and no signal is lost before `next` waits for it.
    init() {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in Self.ending + [SIGHUP] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// Waits for the next signal.
    func next() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }

    /// Whether a signal is pending that ends the program.
    var endIsAsked: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return Self.ending.contains { sigismember(&pending, $0) == 1 }
    }
}
