internal import Glibc

/// Calls a handler whenever the machine is short of memory, for as long as this value lives. It uses the kernel's
/// pressure stall information (PSI), and does no work while there is enough memory.
package final class MemoryPressure: Sendable {
    private let file: Descriptor
    private let watch: EventLoop.Watch

    /// The kernel raises the alarm if some program stalled for lack of memory for 0.2 s within two seconds. The two
    /// seconds are the window in which the kernel adds up the delays. For users other than root, the window's length
    /// must be a multiple of two seconds.
    private static let trigger = "some 200000 2000000"

    /// - Parameter handler: the function that the loop calls on its thread, at most once in two seconds.
    /// - Throws: if the kernel does not measure pressure (`CONFIG_PSI`, `psi=1`), or is older than 6.5 and the user is
    ///   not root.
    package init(on loop: EventLoop, handler: @escaping @Sendable () -> Void) throws(SystemError) {
        file = try Descriptor.open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try file.writeAll(Array(Self.trigger.utf8) + [0])
        // The kernel also counts programs that stall at the limit of their own control group. Such a program, for
        // example an extension at its memory limit, does not show that the machine is short of memory.
        watch = try loop.watchAlarm(file.number) { if Self.isMachineShort() { handler() } }
    }

    deinit {
        watch.cancel()
    }

    private static func isMachineShort() -> Bool {
        let bytes = try? Descriptor.open("/proc/meminfo", O_RDONLY | O_CLOEXEC).readAll(atMost: 1 << 16)
        return isShort(String(decoding: bytes ?? [], as: UTF8.self))
    }

    /// Whether less than a tenth of the machine's memory is available without swapping. Also true if the figures are
    /// missing.
    /// - Parameter text: the contents of `/proc/meminfo`.
    static func isShort(_ text: String) -> Bool {
        guard let total = kibibytes("MemTotal:", in: text), let available = kibibytes("MemAvailable:", in: text) else {
            return true
        }
        return available < total / 10
    }

    private static func kibibytes(_ name: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
        }
        return nil
    }
}
