internal import AnnexLinux
internal import Synchronization

/// Where calls are answered for all sandboxes that only enforce. A look at a program's memory lasts as long as the file
/// system takes that the memory is mapped from: it may hold up other refused calls, and no channel.
enum AnswerLoop {
    private static let one = Mutex<EventLoop?>(nil)

    /// The program's one, started by the first call. It is never shut down.
    static func shared() throws(SystemError) -> EventLoop {
        try one.withLock { (loop) throws(SystemError) in
            if let loop { return loop }
            let made = try EventLoop(name: "annex-answers")
            loop = made
            return made
        }
    }
}
