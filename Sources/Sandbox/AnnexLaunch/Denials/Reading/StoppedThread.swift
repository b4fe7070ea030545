internal import AnnexLinux
internal import Glibc

/// The registers of a thread that waits in a call, as `/proc/PID/task/TID/syscall` shows them, or of one that faulted.
package struct StoppedThread: Sendable, Hashable {
    package let stackPointer: UInt64
    /// The instruction after the system call, or the one that faulted.
    package let instruction: UInt64
    /// The frame pointer, known only for a thread that faulted: the kernel does not show it otherwise.
    package var framePointer: UInt64?

    /// Parses the file; nil if the thread is running or the text has another form.
    ///
    /// The kernel writes `NUMBER ARGUMENT×6 STACK INSTRUCTION`, or `-1 STACK INSTRUCTION` for a thread that waits
    /// outside a call.
    package static func read(_ bytes: [UInt8]) -> StoppedThread? {
        let words = bytes.prefix(512).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard words.count == 9 || words.count == 3, let stack = NumberText.hexadecimal(words[words.count - 2]),
            let instruction = NumberText.hexadecimal(words[words.count - 1])
        else { return nil }
        return StoppedThread(stackPointer: stack, instruction: instruction)
    }
}

extension StoppedThread {
    /// How long a thread may need to fall asleep in its held call. Short, because the thread that answers calls waits.
    static let patience = Duration.milliseconds(20)

    /// Where a thread stands that waits in a held call; nil if the kernel does not show it within that time.
    ///
    /// The kernel reports a held call before the calling thread has fallen asleep in it. Until then `syscall` says
    /// `running`: on a busy machine that can take milliseconds.
    /// - Parameter folder: the thread's folder in `/proc`.
    static func waiting(_ folder: String, within time: Duration = patience) -> StoppedThread? {
        let deadline = MonotonicClock.deadline(after: time)
        while let text = ProcessText.read("\(folder)/syscall") {
            if let thread = read(text) { return thread }
            guard text == Array("running\n".utf8), MonotonicClock.now() < deadline else { return nil }
            usleep(100)
        }
        return nil
    }
}
