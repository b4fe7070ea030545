internal import CAnnexLinux

/// A thread that runs one body and then ends. Dropping this value does not wait for it.
package struct WorkerThread: ~Copyable, Sendable {
    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let handle: UInt64

    /// Starts the thread, with every signal blocked. The body is released at the thread's end.
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
