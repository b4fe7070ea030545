import Foundation
import Synchronization

/// What a daemon finds in place of its user's store: an index that nobody has written yet. Whoever opens it waits until
/// the test writes it.
public final class StalledStore: Sendable {
    public let folder: TemporaryFolder
    private let index: String
    /// The end that is written to, once somebody waits at the other; -1 before.
    private let writing = Mutex<Int32>(-1)

    /// - Parameter user: whose store it is, where the daemon serves several.
    public init(of user: Int? = nil) throws {
        folder = try TemporaryFolder()
        var store = TestDaemon.store(folder)
        if let user { store.append(path: "\(user)") }
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        // Stores that others could write to are refused.
        var place = store
        while place != folder.url.deletingLastPathComponent(), place.path.count >= folder.url.path.count {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
            place.deleteLastPathComponent()
        }
        index = store.appending(path: "index").path
        guard mkfifo(index, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { writing.withLock { if $0 >= 0 { close($0) } } }

    /// Comes back when somebody is at the index, and waits.
    public func isAwaited() async {
        await eventually {
            writing.withLock { writing in
                // Nobody can open a pipe for writing like this before somebody opens it for reading.
                if writing < 0 { writing = open(index, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
                return writing >= 0
            }
        }
    }

    /// Lets whoever waits go on, with an index in which nothing is installed.
    public func goOn() async throws {
        await isAwaited()
        // Field 1, four bytes: version 1.
        let bytes: [UInt8] = [1, 0, 4, 0, 0, 0, 1, 0, 0, 0]
        writing.withLock { writing in
            _ = write(writing, bytes, bytes.count)
            close(writing)
            writing = -1
        }
    }
}
