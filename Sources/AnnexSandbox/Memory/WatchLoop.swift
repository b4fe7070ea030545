internal import AnnexLinux
internal import Synchronization

/// Where looks are taken: a file system may let one wait for as long as it likes, and the program's own loop serves every
/// channel. Its thread is there while something is watched.
final class WatchLoop: Sendable {
    private struct Current {
        weak var loop: WatchLoop?
    }

    private static let current = Mutex(Current())

    let loop: EventLoop

    private init() throws(SystemError) {
        loop = try EventLoop(name: "annex-watches")
    }

    /// The process's one, for as long as somebody holds it.
    static func shared() throws(SystemError) -> WatchLoop {
        try current.withLock { (current) throws(SystemError) in
            if let loop = current.loop { return loop }
            let made = try WatchLoop()
            current.loop = made
            return made
        }
    }

    deinit {
        // On its own thread: any other would wait there for a look that does not end.
        loop.execute { [loop] in loop.shutDown() }
    }
}
