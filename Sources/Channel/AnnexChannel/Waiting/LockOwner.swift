internal import CAnnexLinux
internal import Synchronization

/// Which thread holds a lock. Kept in debug builds only, and free in others: a thread that locks what it holds already
/// is stopped with a word, instead of waiting for itself for ever.
///
/// SAFETY: an address is not Sendable by itself; set once, and the word behind it is reached by atomics only.
@safe struct LockOwner: @unchecked Sendable {
    #if DEBUG
        private let mark: UnsafeMutablePointer<Atomic<UInt64>>

        init() {
            unsafe mark = .allocate(capacity: 1)
            unsafe mark.initialize(to: Atomic(0))
        }

        func end() {
            unsafe mark.deinitialize(count: 1)
            unsafe mark.deallocate()
        }

        /// The calling thread is about to wait for the lock.
        @inline(__always) func willTake() {
            // SYNC: only the thread itself can find its own mark here, and it stored it itself.
            let isOwn = unsafe mark.pointee.load(ordering: .relaxed) == annex_thread_current()
            precondition(!isOwn, "a thread that holds a lock of the channel waits for the same lock")
        }

        @inline(__always) func didTake() {
            unsafe mark.pointee.store(annex_thread_current(), ordering: .relaxed)
        }

        @inline(__always) func willLetGo() {
            unsafe mark.pointee.store(0, ordering: .relaxed)
        }
    #else
        @inline(__always) func end() {}
        @inline(__always) func willTake() {}
        @inline(__always) func didTake() {}
        @inline(__always) func willLetGo() {}
    #endif
}
