import Glibc

/// The state of descriptors 0, 1 and 2, examined before anything else is opened.
enum StandardStreams {
    /// The standard streams that were closed when the process began. `/dev/null` replaces them, so that no other file
    /// gets their numbers.
    static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            closed.insert(number)
            // Opens the lowest free number. That is this one, because all lower ones are open by now.
            _ = open("/dev/null", O_RDWR)
        }
        return closed
    }()
}
