internal import CAnnexLinux
internal import Glibc

/// A thread that runs one body and then ends. Dropping this value does not wait for it.
package struct WorkerThread: ~Copyable, Sendable {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let handle: UInt64

    /// Starts the thread. Every signal is blocked on it, except the signals of its own faults: SIGSEGV, SIGBUS, SIGILL,
    /// SIGFPE, SIGTRAP, SIGABRT and SIGSYS. The body is released at the thread's end.
    /// - Parameter name: shown by debuggers and `top -H`; at most 15 bytes.
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let context = unsafe Unmanaged.passRetained(Body(body))
        var handle: UInt64 = 0
        // SAFETY: the thread takes over the reference that was retained for it and releases it before its end.
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

    /// Waits for the thread's end. Do not call it from the thread itself.
    package consuming func join() {
        _ = annex_thread_join(handle)
        discard self
    }
}

/// Lets one thread sleep until another unparks it. An unpark that comes before the sleep is kept.
@safe package final class Parker: Sendable {
    private let word = PrivateWord()

    package init() {}

    /// Sleeps until unparked, or until `deadline` of `MonotonicClock`. The call may also return earlier without a
    /// cause.
    package func park(until deadline: UInt64?) {
        // SAFETY: the word lives as long as this object.
        let shared = unsafe SharedWord(UnsafePointer(word.address))
        // SYNC: acquires what the unparking thread did before its release store.
        if shared.loadAcquire() == 0 { _ = shared.wait(while: 0, until: deadline) }
        unsafe WritableWord(word.address).storeRelaxed(0)
    }

    package func unpark() {
        // SAFETY: as above.
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

    /// The core that this thread runs on, counted from 0; negative if the system does not say. It usually needs no
    /// system call. The thread may move to another core at any moment.
    package static var current: Int32 {
        annex_processor()
    }
}
