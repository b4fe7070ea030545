internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Blocks until the descriptor is readable or at its end, or until a moment of `MonotonicClock`.
    /// - Returns: whether it is readable.
    @discardableResult
    package func waitUntilReadable(until deadline: UInt64) -> Bool {
        var entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        while true {
            let remaining = MonotonicClock.remaining(until: deadline)
            let left = Int32(clamping: remaining / 1_000_000 + (remaining % 1_000_000 == 0 ? 0 : 1))
            // SAFETY: one entry, written by the call alone.
            let found = unsafe poll(&entry, 1, left)
            if found > 0 { return true }
            // A signal handler may have interrupted the wait early.
            if found == 0 && left == 0 || found < 0 && errno != EINTR { return false }
        }
    }

    /// Whether the descriptor is readable, or becomes so before `patience` is over.
    package func isReadable(within patience: Duration = .zero) -> Bool {
        waitUntilReadable(until: MonotonicClock.deadline(after: patience))
    }

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

    /// Makes reads and writes non-blocking. The flag belongs to the open file description, so use this only for ends
    /// that no other process holds.
    package func stopBlocking() throws(SystemError) {
        _ = try SystemError.check("fcntl(F_SETFL)", annex_stop_blocking(number))
    }
}
