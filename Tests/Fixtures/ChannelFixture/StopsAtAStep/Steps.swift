import Glibc

/// Counts the steps of an extension, and stops it at one of them.
final class Steps {
    private let signal: Int32
    private let last: Int
    private var count = 0

    init(signal: Int32, last: Int) {
        self.signal = signal
        self.last = last
    }

    func step() {
        count += 1
        if count == last { kill(getpid(), signal) }
    }
}
