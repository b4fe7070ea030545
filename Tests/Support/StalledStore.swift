import Foundation
import Synchronization

/// A stalled index in place of a user's store. A thread that opens the index waits until the test writes it.
public final class StalledStore: Sendable {
    public let folder: TemporaryFolder
    private let index: String
    /// The writing end. It is -1 until a reader waits at the other end.
    private let writing = Mutex<Int32>(-1)

    /// - Parameter user: the owner of the store, if the daemon serves several users.
    public init(of user: Int? = nil) throws {
        folder = try TemporaryFolder()
        var store = TestDaemon.store(folder)
        if let user { store.append(path: "\(user)") }
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        // The daemon rejects a store that other users could write to.
        var place = store
        while place != folder.url.deletingLastPathComponent(), place.path.count >= folder.url.path.count {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
            place.deleteLastPathComponent()
        }
        index = store.appending(path: "index").path
        guard mkfifo(index, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { writing.withLock { if $0 >= 0 { close($0) } } }

    /// Returns when a reader has opened the index and waits.
    public func isAwaited() async {
        await eventually {
            writing.withLock { writing in
                // A pipe can be opened for writing in this way only after it is open for reading.
                if writing < 0 { writing = open(index, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
                return writing >= 0
            }
        }
    }

    /// Lets the reader continue. The index that it reads has no installed app.
    public func goOn() async throws {
        await isAwaited()
        // The bytes mean field 1 with four bytes: version 1.
        let bytes: [UInt8] = [1, 0, 4, 0, 0, 0, 1, 0, 0, 0]
        writing.withLock { writing in
            _ = write(writing, bytes, bytes.count)
            close(writing)
            writing = -1
        }
    }
}
