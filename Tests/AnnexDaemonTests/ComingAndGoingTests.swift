import AnnexTestSupport
import Foundation
import Logging
import Synchronization
import Testing

@testable import AnnexDaemon
@testable import AnnexLinux

@Suite(.timeLimit(.minutes(20))) struct ComingAndGoingTests {
    @Test func `a user that connects and disconnects often leaves no timers`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/s"
        var options = DaemonOptions(state: folder.url.path + "/state", isSystem: false)
        options.limits.idle = .patience
        options.limits.connections = 1_000
        options.limits.acceptsPerSecond = 1_000_000
        let daemon = try Daemon(
            options, listener: ListeningSocket.made(at: path, isForAll: false),
            logger: Logger(label: "annexd") { _ in SwiftLogNoOpLogHandler() })
        try daemon.start()
        let before = timers(daemon)
        for turn in 1...500 {
            _ = try LocalSocket.connect(to: path, patience: .seconds(600))
            // Descriptor numbers are scarce, and other parts of this process need some.
            if turn % 25 == 0 { await eventually { daemon.state.withLock { $0.connections.isEmpty } } }
        }
        await eventually { daemon.state.withLock { $0.last == 500 && $0.connections.isEmpty } }
        // Other parts of this process have timers too.
        await eventually { timers(daemon) < before + 200 }
        daemon.leave()
    }

    private func timers(_ daemon: Daemon) -> Int { daemon.loop.state.withLock { $0.timers.count } }
}
