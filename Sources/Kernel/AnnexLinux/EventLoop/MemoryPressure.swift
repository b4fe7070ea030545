internal import Glibc

/// The kernel's word that the machine runs out of memory (PSI), for as long as this value lives. Costs nothing until
/// then.
package final class MemoryPressure: Sendable {
    private let file: Descriptor
    private let watch: EventLoop.Watch

    /// Some program stood still for want of memory for a tenth of two seconds. Who is not root may ask for windows of
    /// whole two seconds only.
    private static let trigger = "some 200000 2000000"

    /// - Parameter handler: told on the loop's thread, at most once in two seconds.
    /// - Throws: where the kernel measures no pressure (`CONFIG_PSI`, `psi=1`), or lets no ordinary user ask (before 6.5).
    package init(on loop: EventLoop, handler: @escaping @Sendable () -> Void) throws(SystemError) {
        file = try Descriptor.open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try file.writeAll(Array(Self.trigger.utf8) + [0])
        // A program that stands still at the limit of its own control group counts as well: an extension at its memory
        // limit is no reason to do anything.
        watch = try loop.watchAlarm(file.number) { if Self.isMachineShort() { handler() } }
    }

    deinit {
        watch.cancel()
    }

    private static func isMachineShort() -> Bool {
        let bytes = try? Descriptor.open("/proc/meminfo", O_RDONLY | O_CLOEXEC).readAll(atMost: 1 << 16)
        return isShort(String(decoding: bytes ?? [], as: UTF8.self))
    }

    /// Whether less than a tenth of the machine's memory could be had without swapping, or nobody says how much.
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
