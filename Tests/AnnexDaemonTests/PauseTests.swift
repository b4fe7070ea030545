import AnnexTestSupport
import Foundation
import Glibc
import Logging
import Synchronization
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

/// If a daemon has no descriptor left for a connection, it pauses and then watches its socket again. The test runs in a
/// separate process, because the limit on descriptors applies to a whole process.
@Suite(.timeLimit(.minutes(20))) struct PauseTests {
    @Test func `a daemon that cannot watch its socket after a pause tries again until it can`() async throws {
        let folder = try TemporaryFolder()
        await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
            try PauseTests.connect(in: path)
        }
        withExtendedLifetime(folder) {}
    }

    private static func connect(in folder: String) throws {
        let log = ErrorLog()
        let daemon = try Daemon(
            DaemonOptions(state: folder + "/state", isSystem: false),
            listener: ListeningSocket.made(at: folder + "/s", isForAll: false), logger: log.logger)
        _ = try LocalSocket.connect(to: folder + "/s", patience: .seconds(600))
        let usual = takeDescriptors()
        try daemon.start()
        while !log.has("accept4") { usleep(1000) }
        let place = takePlace(of: daemon)
        while !log.has("epoll_ctl") {
            // If there were no timer, the daemon would never watch its socket again.
            try #require(hasTimer(daemon))
            usleep(1000)
        }
        setLimit(usual)
        place.cancel()
        while daemon.state.withLock({ $0.last == 0 }) { usleep(1000) }
    }

    /// Watches the daemon's socket instead of the daemon, while the daemon pauses. An event loop watches a descriptor
    /// only once, so the daemon cannot watch the socket. Alarms never come from a listening socket.
    private static func takePlace(of daemon: Daemon) -> EventLoop.Watch {
        while true {
            if let place = try? daemon.loop.watchAlarm(daemon.listener.descriptor.number, handler: {}) { return place }
            usleep(1000)
        }
    }

    /// Whether the daemon will try again. A job of the event loop checks this, so no handler runs at the same time.
    private static func hasTimer(_ daemon: Daemon) -> Bool {
        let found = Synchronization.Mutex(false)
        daemon.loop.execute {
            let hasTimer = daemon.loop.state.withLock { !$0.timers.isEmpty }
            found.withLock { $0 = hasTimer }
        }
        daemon.loop.settle(until: nil)
        return found.withLock { $0 }
    }

    /// After this call, this process cannot open another descriptor.
    /// - Returns: the previous limit.
    private static func takeDescriptors() -> rlimit {
        var usual = rlimit()
        getrlimit(resource, &usual)
        var none = usual
        none.rlim_cur = 0
        setLimit(none)
        return usual
    }

    private static func setLimit(_ limit: rlimit) {
        var limit = limit
        setrlimit(resource, &limit)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}

/// The errors that a logger received.
private final class ErrorLog: Sendable {
    // The type is written with its module. Under the sanitizers, the compiler also sees a type of this name in another
    // module.
    private let errors = Synchronization.Mutex<[String]>([])

    var logger: Logger { Logger(label: "annexd") { _ in Handler(errors: self) } }

    /// Whether a system call of this name has failed.
    func has(_ call: String) -> Bool { errors.withLock { $0.contains { $0.hasPrefix(call) } } }

    private func add(_ error: String) { errors.withLock { $0.append(error) } }

    private struct Handler: LogHandler {
        let errors: ErrorLog
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if let error = event.metadata?["error"] { errors.add("\(error)") }
        }
    }
}
