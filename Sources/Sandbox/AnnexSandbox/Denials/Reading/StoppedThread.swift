/// Where a thread stands that waits in a call, as `/proc/PID/task/TID/syscall` shows it, or that faulted.
package struct StoppedThread: Sendable, Hashable {
    package let stackPointer: UInt64
    /// The instruction behind the one that called, or the one that faulted.
    package let instruction: UInt64
    /// Only of one that faulted: the kernel does not show it otherwise.
    package var framePointer: UInt64?

    /// Nil for a thread that runs, and for what the kernel would not write.
    ///
    /// `NUMBER ARGUMENT×6 STACK INSTRUCTION`, or `-1 STACK INSTRUCTION` for one that waits outside a call.
    package static func read(_ bytes: [UInt8]) -> StoppedThread? {
        let words = bytes.prefix(512).split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard words.count == 9 || words.count == 3, let stack = NumberText.hexadecimal(words[words.count - 2]),
            let instruction = NumberText.hexadecimal(words[words.count - 1])
        else { return nil }
        return StoppedThread(stackPointer: stack, instruction: instruction)
    }
}
