internal import Glibc

extension Descriptor {
    /// Waits until nobody has a program open for writing that was just written. A process that another thread forks
    /// holds a copy of the writer's descriptor until it executes, and until then the kernel executes the program for
    /// nobody (`ETXTBSY`).
    /// - Parameter path: a file of this user's own, where nobody else writes. Where the file system cannot tell, or
    ///   somebody writes on and on, the wait ends all the same: executing it says what there is to say.
    package static func settle(program path: String) throws(SystemError) {
        let file = try open(path, O_RDONLY)
        let setLease: Int32 = 1024  // F_SETLEASE, which Glibc's import lacks
        let deadline = MonotonicClock.deadline(after: longestSettling)
        // The kernel gives a read lease exactly when there is no writer.
        while fcntl(file.number, setLease, F_RDLCK) != 0 {
            guard errno == EAGAIN, MonotonicClock.now() < deadline else { return }
            usleep(1000)
        }
        _ = fcntl(file.number, setLease, F_UNLCK)
    }

    private static var longestSettling: Duration { .seconds(60) }
}
