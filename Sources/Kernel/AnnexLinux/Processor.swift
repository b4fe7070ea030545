internal import CAnnexLinux
internal import Glibc

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
