internal import Glibc

extension Descriptor {
    /// Waits until no process has a newly written program open for writing.
    ///
    /// If another thread forks, its child holds a copy of the writer's descriptor until it executes. Until then the
    /// kernel refuses to execute the program (`ETXTBSY`).
    /// - Parameter path: a file of this user that no other process writes. If the file system has no leases, or a
    ///   writer never closes the file, the wait ends without an error; executing the program then reports the fault.
    package static func settle(program path: String) throws(SystemError) {
        let file = try open(path, O_RDONLY)
        let setLease: Int32 = 1024  // F_SETLEASE, which Glibc's import lacks
        let deadline = MonotonicClock.deadline(after: longestSettling)
        // The kernel grants a read lease exactly when the file has no writer.
        while fcntl(file.number, setLease, F_RDLCK) != 0 {
            guard errno == EAGAIN, MonotonicClock.now() < deadline else { return }
            usleep(1000)
        }
        _ = fcntl(file.number, setLease, F_UNLCK)
    }

    private static var longestSettling: Duration { .seconds(60) }
}
