internal import CAnnexLinux
internal import Glibc

/// Ends the sleep of one thread of this process, also a sleep on another process's word.
///
/// No summons is lost. The thread reads `count` first, then checks its reasons to stay awake, then sleeps while the
/// count has that value. A sender adds a reason, then one to the count. The kernel compares the count when the thread
/// goes to sleep. The word belongs to this process alone, so no other process can move the sleeper away from it.
@safe package final class Summons: Sendable {
    private let word = PrivateWord()

    package init() {}

    /// How often the thread was summoned, modulo 2^32.
    package var count: UInt32 {
        // SYNC: acquires what a sender did before it added to the count.
        unsafe annex_load_acquire(word.address)
    }

    /// Wakes the thread, or keeps it from its next sleep.
    package func send() {
        // SYNC: releases the reason that this sender has added.
        unsafe annex_add_release(word.address, 1)
        unsafe annex_unpark(word.address, .max)
    }

    /// Sleeps until a summons comes after the count was `seen`. May return earlier without a cause.
    package func wait(since seen: UInt32) {
        unsafe annex_park(word.address, seen, .max)
    }

    /// Sleeps while another process's word is `expected`, until a summons comes after the count was `seen`.
    /// - Returns: `.interrupted` after a summons; `.changed` if the word or the count had another value already.
    package func wait(since seen: UInt32, orOn shared: SharedWord, while expected: UInt32) -> FutexWait {
        let result = unsafe annex_futex_wait_either(shared.address, expected, word.address, seen)
        return result == 1 ? .interrupted : FutexWait(result)
    }

    /// Checks that the kernel can let a thread sleep on two words, which it can since Linux 5.16.
    package static func check() throws(SystemError) {
        let summons = Summons()
        // SAFETY: the call only reads the word, and never sleeps, because the count is not 1.
        let result = unsafe annex_futex_wait_either(
            summons.word.address, 1, summons.word.address, 1)
        guard result != -EAGAIN else { return }
        throw SystemError("futex_waitv", errno: -result, remedy: "use Linux 5.16 or newer, and allow this call")
    }
}
