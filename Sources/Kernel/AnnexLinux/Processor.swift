internal import CAnnexLinux
internal import Glibc

/// What a spinning thread tells the processor and the scheduler.
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

    /// The core that this thread runs on, counted from 0; negative where the system does not say. Mostly without
    /// entering the kernel, and old as soon as it is known.
    package static var current: Int32 {
        annex_processor()
    }
}
