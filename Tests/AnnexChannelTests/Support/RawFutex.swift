import Glibc

/// Futex operations that only a hostile peer would use.
enum RawFutex {
    private typealias Call =
        @convention(c) (Int, UnsafeMutableRawPointer, Int, Int, Int, UnsafeMutableRawPointer, Int) -> Int

    /// Moves one sleeper from a word to another.
    /// - Returns: how many were moved; -1 where the kernel refused.
    static func requeue(_ word: UnsafeMutableRawPointer, to other: UnsafeMutableRawPointer) -> Int {
        // Glibc imports no variadic functions.
        guard let symbol = dlsym(nil, "syscall") else { return -1 }
        let call = unsafeBitCast(symbol, to: Call.self)
        let cmpRequeue = 4
        return call(number, word, cmpRequeue, 0, 1, other, Int(word.load(as: UInt32.self)))
    }

    #if arch(x86_64)
        private static let number = 202
    #else
        private static let number = 98
    #endif
}
