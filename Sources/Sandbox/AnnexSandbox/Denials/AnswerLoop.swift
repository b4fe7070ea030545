internal import AnnexLinux
internal import Synchronization

/// The event loop that answers the denied calls of all sandboxes in mode `enforce`. Reading a program's memory can take
/// as long as the file system that the memory is mapped from. Such a read may delay other denied calls, but never a
/// channel.
enum AnswerLoop {
    private static let one = Mutex<EventLoop?>(nil)

    /// The one loop of this process, started by the first call. It is never shut down.
    static func shared() throws(SystemError) -> EventLoop {
        try one.withLock { (loop) throws(SystemError) in
            if let loop { return loop }
            let made = try EventLoop(name: "annex-answers")
            loop = made
            return made
        }
    }
}
