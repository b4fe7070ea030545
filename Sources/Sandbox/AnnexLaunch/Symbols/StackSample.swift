internal import AnnexLinux
internal import Glibc

/// A copy of a thread's stack and mappings, of bounded size. The copy is made while the thread's call is held, so
/// that the thread waits in the call. The backtrace is made from the copy later, on another thread.
struct StackSample: Sendable {
    /// Why no copy could be made.
    struct Missing: Error {
        let text: String
    }

    /// The most bytes that are read of `/proc/PID/maps`. Mappings beyond these bytes stay unknown.
    static let mostMaps = 256 << 10
    static let largest = mostMaps + FrameWalk.window

    let thread: StoppedThread
    /// The address at which the copied stack begins, and the copied bytes.
    let base: UInt64
    let stack: [UInt8]
    /// Complete lines of `/proc/PID/maps`.
    let maps: [UInt8]

    /// Copies the stack without tracing or disturbing the thread.
    ///
    /// - Parameter fault: the thread's registers when it faulted. If nil, the registers that the kernel shows are used.
    /// - Throws: `Missing` if the kernel does not show the thread's state, or the thread ended meanwhile.
    init(of call: HeldCall, at fault: StoppedThread?, on listener: borrowing Descriptor) throws(Missing) {
        let place = ProcNumber.folder(of: call.thread)
        guard let thread = fault ?? StoppedThread.waiting(place) else {
            throw Missing(
                text:
                    "the kernel does not show the registers of the thread (Yama, or the program is not dumpable)"
            )
        }
        guard let maps = ProcessText.read("\(place)/maps", atMost: Self.mostMaps) else {
            throw Missing(text: "the kernel does not show the memory mappings of the program")
        }
        (base, stack) = Self.stack(of: call, thread)
        // The kernel reuses thread numbers. The data belongs to this call only if the call is still held after the
        // reading.
        guard call.isHeld(on: listener) else { throw Missing(text: "the thread ended during the examination") }
        self.thread = thread
        let end = maps.lastIndex(of: UInt8(ascii: "\n")) ?? maps.startIndex
        self.maps = Array(maps[..<end])
    }

    /// The address and the bytes of the stack copy. The copy starts at the stack pointer. If the memory there cannot
    /// be read, the copy starts at the frame pointer, if that is known. If neither address can be read, there are no
    /// bytes.
    private static func stack(of call: HeldCall, _ thread: StoppedThread) -> (base: UInt64, bytes: [UInt8]) {
        for pointer in [thread.stackPointer, thread.framePointer].compactMap(\.self) {
            // If the stack overflowed, the stack pointer is beyond the stack's end. The address there is not mapped,
            // so the copy from the stack pointer fails.
            if let bytes = call.memory(at: pointer, count: FrameWalk.window) { return (pointer, bytes) }
        }
        return (thread.stackPointer, [])
    }
}

/// The registers of a thread that waits in a call, or of a thread that faulted. For a waiting thread,
/// `/proc/PID/task/TID/syscall` shows them.
package struct StoppedThread: Sendable, Hashable {
    package let stackPointer: UInt64
    /// The instruction after the system call, or the instruction that faulted.
    package let instruction: UInt64
    /// The frame pointer. It is known only for a thread that faulted, because the kernel does not show it for other
    /// threads.
    package var framePointer: UInt64?

    /// Parses the text of a `syscall` file; nil if the thread is running or the text has another form.
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
    /// How long a thread may need to fall asleep in its held call. The time is short, because the thread that answers
    /// calls waits meanwhile.
    static let patience = Duration.milliseconds(20)

    /// The registers of a thread that waits in a held call; nil if the kernel does not show them within `time`.
    ///
    /// The kernel reports a held call before the calling thread has fallen asleep in the call. Until then `syscall`
    /// says `running`. On a busy machine, milliseconds can pass until the thread sleeps.
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
