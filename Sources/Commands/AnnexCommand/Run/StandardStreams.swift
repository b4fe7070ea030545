import Glibc

/// This process's own 0, 1 and 2, looked at before anything else is opened.
enum StandardStreams {
    /// Those that were closed when the process began. Something stands in for them, so that no other file ever gets
    /// their numbers.
    static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            closed.insert(number)
            // The lowest free number is this one, for those below it are open by now.
            _ = open("/dev/null", O_RDWR)
        }
        return closed
    }()
}
