internal import CAnnexLinux
internal import Glibc

/// Ends the sleep of one thread of this process. The thread may sleep on another process's word at the same time.
///
/// No summons is lost. The thread first reads `count`, then checks its reasons to stay awake. The thread then sleeps
/// while the count has the value that the thread read. A sender first adds a reason, then adds 1 to the count. The
/// kernel compares the count when the thread goes to sleep. Only this process can access the count's word, so no other
/// process can move the sleeping thread to another word.
@safe package final class Summons: Sendable {
    private let word = PrivateWord()

    package init() {}

    /// The number of summonses so far, modulo 2^32.
    package var count: UInt32 {
        // SYNC: the load makes visible what a sender wrote before it added to the count.
        unsafe annex_load_acquire(word.address)
    }

    /// Wakes the thread. If the thread is about to sleep, it does not sleep.
    package func send() {
        // SYNC: the addition releases the reason that this sender added before.
        unsafe annex_add_release(word.address, 1)
        unsafe annex_unpark(word.address, .max)
    }

    /// Sleeps until a summons comes after the count was `seen`. The call may return earlier without a cause.
    package func wait(since seen: UInt32) {
        unsafe annex_park(word.address, seen, .max)
    }

    /// Sleeps while another process's word is `expected`, until a summons comes after the count was `seen`.
    /// - Returns: `.interrupted` after a summons, or `.changed` if the word or the count already had another value.
    package func wait(since seen: UInt32, orOn shared: SharedWord, while expected: UInt32) -> FutexWait {
        let result = unsafe annex_futex_wait_either(shared.address, expected, word.address, seen)
        return result == 1 ? .interrupted : FutexWait(result)
    }

    /// Checks that a thread can sleep on two words. The kernel supports this since Linux 5.16.
    package static func check() throws(SystemError) {
        let summons = Summons()
        // SAFETY: the call only reads the word, and never sleeps, because the count is not 1.
        let result = unsafe annex_futex_wait_either(
            summons.word.address, 1, summons.word.address, 1)
        guard result != -EAGAIN else { return }
        throw SystemError("futex_waitv", errno: -result, remedy: "use Linux 5.16 or newer, and allow this call")
    }
}
