#if ANNEX_SANITIZE
    internal import Synchronization

    /// A mutex whose locking the thread sanitizer can see. The system's own mutex blocks inside a library that is built
    /// without the sanitizer. With that mutex alone, the sanitizer would report races between two holders of the lock.
    ///
    /// SAFETY: the value is inside the inner mutex, which protects it.
    package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let inner: Synchronization.Mutex<Value>
        /// `withLock` loads this value after each locking and stores it before each unlocking.
        private let mark = Atomic<Bool>(false)

        package init(_ value: consuming sending Value) {
            inner = Synchronization.Mutex(value)
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try inner.withLock { (value) throws(Failure) in
                _ = mark.load(ordering: .acquiring)
                defer { mark.store(true, ordering: .releasing) }
                return try body(&value)
            }
        }

        package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            try inner.withLockIfAvailable { (value) throws(Failure) in
                _ = mark.load(ordering: .acquiring)
                defer { mark.store(true, ordering: .releasing) }
                return try body(&value)
            }
        }
    }

    typealias Mutex = SanitizedMutex
#endif
