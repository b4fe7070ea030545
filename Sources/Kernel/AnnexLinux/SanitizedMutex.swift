#if ANNEX_SANITIZE
    internal import Synchronization

    /// A mutex whose waiting the thread sanitizer sees. The system's own waits in a library that is not built for it, so
    /// that whoever had to wait for a lock would seem to race with whoever held it.
    ///
    /// SAFETY: the value is the inner mutex's, whose promise this passes on.
    package struct SanitizedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let inner: Synchronization.Mutex<Value>
        /// Stored to before each unlocking and loaded after each locking.
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
