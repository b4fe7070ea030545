import Glibc

/// Futex operations that only a hostile peer would use.
enum RawFutex {
    private typealias Call =
        @convention(c) (Int, UnsafeMutableRawPointer, Int, Int, Int, UnsafeMutableRawPointer?, Int) -> Int

    /// Moves one sleeper from one word to another.
    /// - Returns: the number of moved sleepers; -1 if the kernel refused.
    static func requeue(_ word: UnsafeMutableRawPointer, to other: UnsafeMutableRawPointer) -> Int {
        let cmpRequeue = 4
        return call(word, cmpRequeue, 0, 1, other, Int(word.load(as: UInt32.self)))
    }

    /// Waits for a lock with priority inheritance. The thread whose number is in the word holds this lock until that
    /// thread ends. Until then, every plain wake-up of the word fails.
    static func lock(_ word: UnsafeMutableRawPointer) {
        let lockPI = 6
        _ = call(word, lockPI, 0, 0, nil, 0)
    }

    /// Sleeps on a word until `release`, as a thread that will be moved to a lock with priority inheritance. During
    /// this sleep, every plain wake-up of the word fails.
    static func waitForLock(_ word: UnsafeMutableRawPointer, _ lock: UnsafeMutableRawPointer) {
        let waitRequeuePI = 11
        _ = call(word, waitRequeuePI, Int(word.load(as: UInt32.self)), 0, lock, 0)
    }

    /// Gives the lock, which no thread holds, to the thread that sleeps in `waitForLock`.
    /// - Returns: the number of released sleepers; -1 if the kernel refused.
    static func release(_ word: UnsafeMutableRawPointer, _ lock: UnsafeMutableRawPointer) -> Int {
        let cmpRequeuePI = 12
        return call(word, cmpRequeuePI, 1, 0, lock, Int(word.load(as: UInt32.self)))
    }

    /// The calling thread's number, in the form in which a lock's word names its holder.
    static var thread: UInt32 {
        typealias Ask = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "gettid") else { return 0 }
        return UInt32(bitPattern: unsafeBitCast(symbol, to: Ask.self)())
    }

    private static func call(
        _ word: UnsafeMutableRawPointer, _ operation: Int, _ value: Int, _ second: Int,
        _ other: UnsafeMutableRawPointer?, _ third: Int
    ) -> Int {
        // Swift imports no variadic C functions.
        guard let symbol = dlsym(nil, "syscall") else { return -1 }
        return unsafeBitCast(symbol, to: Call.self)(number, word, operation, value, second, other, third)
    }

    #if arch(x86_64)
        private static let number = 202
    #else
        private static let number = 98
    #endif
}
