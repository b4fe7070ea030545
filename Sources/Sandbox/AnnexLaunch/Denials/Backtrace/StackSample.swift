internal import AnnexLinux
internal import Glibc

/// A copy of a thread's stack and mappings, of bounded size, made while its call is held. The backtrace is made from
/// the copy later, on another thread.
struct StackSample: Sendable {
    /// Why no copy could be made.
    struct Lack: Error {
        let text: String
    }

    /// The most bytes that are read of `/proc/PID/maps`. If the file is longer, the mappings after them stay unknown.
    static let mostMaps = 256 << 10
    static let largest = mostMaps + FrameWalk.window

    let thread: StoppedThread
    /// The address at which the copied stack begins, and the copy.
    let base: UInt64
    let stack: [UInt8]
    /// Complete lines of `/proc/PID/maps`.
    let maps: [UInt8]

    /// Copies the stack without tracing or disturbing the thread.
    ///
    /// - Parameter fault: the thread's registers when it faulted; nil: take those that the kernel shows.
    /// - Throws: `Lack` if the kernel does not show the thread's state, or the thread ended meanwhile.
    init(of call: HeldCall, at fault: StoppedThread?, on listener: borrowing Descriptor) throws(Lack) {
        let place = "/proc/\(call.thread)"
        guard let thread = fault ?? StoppedThread.waiting(place) else {
            throw Lack(
                text: "the kernel does not show where the thread stands (Yama, or the program is not dumpable)")
        }
        guard let maps = ProcessText.read("\(place)/maps", atMost: Self.mostMaps) else {
            throw Lack(text: "the kernel does not show what the program has mapped")
        }
        (base, stack) = Self.stack(of: call, thread)
        // The kernel reuses thread numbers: the data read belongs to this call only if the call is still held.
        guard call.isHeld(on: listener) else { throw Lack(text: "the thread ended meanwhile") }
        self.thread = thread
        let end = maps.lastIndex(of: UInt8(ascii: "\n")) ?? maps.startIndex
        self.maps = Array(maps[..<end])
    }

    /// A copy of the stack and its address. If the stack overflowed, the copy starts at its last frame.
    private static func stack(of call: HeldCall, _ thread: StoppedThread) -> (base: UInt64, bytes: [UInt8]) {
        for pointer in [thread.stackPointer, thread.framePointer].compactMap(\.self) {
            // The copy fails if this address is not mapped, which is so beyond the end of the stack.
            if let bytes = call.memory(at: pointer, count: FrameWalk.window) { return (pointer, bytes) }
        }
        return (thread.stackPointer, [])
    }
}
