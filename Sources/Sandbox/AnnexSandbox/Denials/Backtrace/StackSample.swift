internal import AnnexLinux
internal import Glibc

/// What is taken of a thread while its call is held: a copy of bounded size. Everything else is made of the copy, later
/// and elsewhere.
struct StackSample: Sendable {
    /// Why there is none.
    struct Lack: Error {
        let text: String
    }

    /// Bytes of `/proc/PID/maps` that are taken. Who maps more has mappings that nobody knows of.
    static let mostMaps = 256 << 10
    static let largest = mostMaps + FrameWalk.window

    let thread: StoppedThread
    /// Where the copy of the stack begins, and the copy.
    let base: UInt64
    let stack: [UInt8]
    /// Whole lines of `/proc/PID/maps`.
    let maps: [UInt8]

    /// Nothing is traced, and the thread is not touched.
    /// - Parameter fault: where it stood when it faulted; nil: where the kernel says that it stands.
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
        // Thread numbers are used again: what was read is this call's only while the kernel holds it.
        guard call.isHeld(on: listener) else { throw Lack(text: "the thread ended meanwhile") }
        self.thread = thread
        let end = maps.lastIndex(of: UInt8(ascii: "\n")) ?? maps.startIndex
        self.maps = Array(maps[..<end])
    }

    /// A copy of the stack and where it begins: of one that overflowed, from its last frame on.
    private static func stack(of call: HeldCall, _ thread: StoppedThread) -> (base: UInt64, bytes: [UInt8]) {
        for pointer in [thread.stackPointer, thread.framePointer].compactMap(\.self) {
            // What lies behind the stack's end is copied only where it is mapped.
            if let bytes = call.memory(at: pointer, count: FrameWalk.window) { return (pointer, bytes) }
        }
        return (thread.stackPointer, [])
    }
}
