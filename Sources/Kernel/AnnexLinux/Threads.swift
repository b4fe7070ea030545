internal import CAnnexLinux
internal import Glibc

/// A thread that runs one body and then ends. Dropping this value does not wait for the thread.
package struct WorkerThread: ~Copyable, Sendable {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let handle: UInt64

    /// Starts the thread. The thread blocks every signal except those of its own faults: SIGSEGV, SIGBUS, SIGILL,
    /// SIGFPE, SIGTRAP, SIGABRT and SIGSYS. The body is released at the thread's end.
    /// - Parameter name: the name that debuggers and `top -H` show, at most 15 bytes.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let context = unsafe Unmanaged.passRetained(Body(body))
        var handle: UInt64 = 0
        // SAFETY: the reference was retained for the thread. The thread takes it over and releases it before it ends.
        let started = unsafe name.withCString { text in
            unsafe annex_thread_start(
                text,
                { context in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                }, context.toOpaque(), &handle)
        }
        guard started == 0 else {
            unsafe context.release()
            throw SystemError("pthread_create", errno: -started)
        }
        self.handle = handle
    }

    deinit {
        _ = annex_thread_detach(handle)
    }

    /// Waits for the thread's end. Do not call this method from the thread itself.
    package consuming func join() {
        _ = annex_thread_join(handle)
        discard self
    }
}

/// Lets one thread sleep until another thread unparks it. If `unpark` is called before the sleep, the next sleep ends
/// at once.
@safe package final class Parker: Sendable {
    private let word = PrivateWord()

    package init() {}

    /// Sleeps until `unpark` is called, or until `MonotonicClock` reaches `deadline`. The call may also return earlier
    /// without a cause.
    package func park(until deadline: UInt64?) {
        // SAFETY: the word lives as long as this object.
        let shared = unsafe SharedWord(UnsafePointer(word.address))
        // SYNC: the load makes visible what the unparking thread wrote before its release store.
        if shared.loadAcquire() == 0 { _ = shared.wait(while: 0, until: deadline) }
        unsafe WritableWord(word.address).storeRelaxed(0)
    }

    package func unpark() {
        // SAFETY: the word lives as long as this object.
        let written = unsafe WritableWord(word.address)
        written.storeRelease(1)
        written.wake()
    }
}

/// Instructions and calls for threads that spin.
package enum Processor {
    /// A pause inside a spin loop.
    @inlinable package static func pause() {
        annex_pause()
    }

    /// Orders every earlier store before every later load of this thread.
    @inlinable package static func fence() {
        annex_fence()
    }

    /// Lets another thread run on this core.
    package static func yield() {
        _ = sched_yield()
    }

    /// The core that this thread runs on, counted from 0. Negative if the system does not report it. This property
    /// usually needs no system call. The thread may move to another core at any moment.
    package static var current: Int32 {
        annex_processor()
    }
}
