import Glibc

/// Futex operations that only a hostile peer would use.
enum RawFutex {
    private typealias Call =
        @convention(c) (Int, UnsafeMutableRawPointer, Int, Int, Int, UnsafeMutableRawPointer?, Int) -> Int

    /// Moves one sleeper from a word to another.
    /// - Returns: how many were moved; -1 where the kernel refused.
    static func requeue(_ word: UnsafeMutableRawPointer, to other: UnsafeMutableRawPointer) -> Int {
        let cmpRequeue = 4
        return call(word, cmpRequeue, 0, 1, other, Int(word.load(as: UInt32.self)))
    }

    /// Waits for a lock with priority inheritance that the thread named in the word has. Until then every plain wake-up
    /// of the word fails.
    static func lock(_ word: UnsafeMutableRawPointer, for seconds: Int) {
        let lockPI = 6
        var until = timespec()
        clock_gettime(CLOCK_REALTIME, &until)
        until.tv_sec += seconds
        _ = withUnsafePointer(to: until) { call(word, lockPI, 0, Int(bitPattern: $0), nil, 0) }
    }

    /// Sleeps on a word as one who is to be moved to such a lock: every plain wake-up of the word fails meanwhile.
    static func waitForLock(_ word: UnsafeMutableRawPointer, _ lock: UnsafeMutableRawPointer, for seconds: Int) -> Int {
        let waitRequeuePI = 11
        var until = timespec()
        clock_gettime(CLOCK_MONOTONIC, &until)
        until.tv_sec += seconds
        return withUnsafePointer(to: until) {
            call(word, waitRequeuePI, Int(word.load(as: UInt32.self)), Int(bitPattern: $0), lock, 0)
        }
    }

    /// The calling thread's number, as a lock's word names its holder.
    static var thread: UInt32 {
        typealias Ask = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "gettid") else { return 0 }
        return UInt32(bitPattern: unsafeBitCast(symbol, to: Ask.self)())
    }

    private static func call(
        _ word: UnsafeMutableRawPointer, _ operation: Int, _ value: Int, _ second: Int,
        _ other: UnsafeMutableRawPointer?, _ third: Int
    ) -> Int {
        // Glibc imports no variadic functions.
        guard let symbol = dlsym(nil, "syscall") else { return -1 }
        return unsafeBitCast(symbol, to: Call.self)(number, word, operation, value, second, other, third)
    }

    #if arch(x86_64)
        private static let number = 202
    #else
        private static let number = 98
    #endif
}
