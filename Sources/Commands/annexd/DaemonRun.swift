import AnnexDaemon
import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Synchronization

/// One run of the daemon as a service: from listening to its leaving.
final class DaemonRun: Service {
    private let path: String
    private let state: String
    private let logger: Logger
    /// Held until the program ends or starts anew. Its next self takes it again; where another daemon was quicker, that
    /// one has the state, and the next self says so and ends.
    private let lock: StateLock
    let daemon: Daemon
    private let signals: LifeSignals
    private let signal = Mutex<Int32?>(nil)
    private let startsAnew = Mutex(false)

    /// Listens already: who connects before the run begins waits.
    init(_ options: DaemonOptions, socket path: String, signals: LifeSignals, logger: Logger) throws {
        self.path = path
        self.signals = signals
        state = options.state
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

    /// Whether the program is to start anew, with the same socket, and not to end.
    var isToStartAnew: Bool { startsAnew.withLock { $0 } }

    /// Waits for the signal that ends the run.
    func awaitSignal() {
        let next = signals.next()
        signal.withLock { $0 = next }
    }

    /// Until somebody asks for its end, or that it starts anew.
    func run() async throws {
        try daemon.start()
        ServiceManager.tellReady()
        logger.info(
            "takes connections",
            metadata: ["socket": "\(daemon.listener.isGiven ? "given" : path)", "state": "\(state)"])
        // Where it is cancelled instead, it leaves all the same.
        try? await gracefulShutdown()
        let hangsUp = signal.withLock { $0 == SIGHUP }
        if hangsUp { ServiceManager.tellReloading() } else { ServiceManager.tellStopping() }
        await leave()
        guard hangsUp else { return }
        // Who asks for the end meanwhile means the end.
        if signals.endIsAsked { return ServiceManager.tellStopping() }
        startsAnew.withLock { $0 = true }
    }

    /// Takes seconds where extensions or hosts are slow: none of the threads that tasks share may wait for that.
    private func leave() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [daemon] in
                daemon.leave()
                continuation.resume()
            }
        }
    }

    /// Whoever gave it keeps it.
    func removeSocket() {
        if !daemon.listener.isGiven { unlink(path) }
    }
}
