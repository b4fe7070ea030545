internal import AnnexLinux
internal import Glibc

/// What a channel of another process has counted so far.
public struct ChannelSnapshot: Sendable, Hashable {
    /// The channel's number in its process, from 1; never given twice.
    public let number: UInt64
    /// Whose channel its host says it is, for example the extension's identifier. Another program's text: escape it.
    public let label: String
    /// When it was made, on the monotonic clock, in nanoseconds.
    public let openedAt: UInt64
    public let counters: ChannelCounters
}

extension ChannelSnapshot {
    /// The channels of a host that runs, as they are now. Reads memory that the host shares for that and holds it up in
    /// nothing; needs the right to read the process's `/proc/PID/fd`, which its own user has.
    /// - Returns: none for a process that has no channels.
    public static func all(of process: Int32) throws -> [ChannelSnapshot] {
        let folder = try Descriptor.directory("/proc/\(process)/fd")
        let paths = try folder.entries(atMost: 1 << 20).compactMap(\.name).map { "/proc/\(process)/fd/\($0)" }
        for path in paths where isCounterFile(path) {
            do throws(SystemError) {
                if let channels = try read(path) { return channels }
            } catch {
                // A process that reads its own has it open under another number too, for a moment.
                if error.errno != ENOENT, isCounterFile(path) { throw error }
            }
        }
        return []
    }

    private static func isCounterFile(_ path: String) -> Bool {
        var target = [CChar](repeating: 0, count: 64)
        // SAFETY: the call writes at most as many bytes as the array has.
        let count = unsafe readlink(path, &target, target.count)
        guard count > 0 else { return false }
        let text = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("/memfd:\(CounterLayout.name)")
    }

    /// Copied once: what another process writes can change at any time, and is only ever shown.
    /// - Returns: nil where it is no such file, or none any more.
    private static func read(_ path: String) throws(SystemError) -> [ChannelSnapshot]? {
        let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        let bytes = try file.readAll(atMost: CounterLayout.fileSize)
        func word(_ offset: Int) -> UInt64 { WireBytes.number(bytes, at: offset) ?? 0 }
        guard WireBytes.number(bytes, at: 0, as: UInt32.self) == CounterLayout.magic,
            WireBytes.number(bytes, at: 4, as: UInt32.self) == CounterLayout.version
        else { return nil }
        return (1...CounterLayout.slots).compactMap { slot in
            let start = slot * CounterLayout.slotSize
            guard word(start) != 0 else { return nil }
            return ChannelSnapshot(start) {
                word(start + $0 * 8)
            } label: {
                Array(bytes.dropFirst(start + CounterLayout.label).prefix(CounterLayout.labelSize))
            }
        }
    }

    private init(_ start: Int, word: (Int) -> UInt64, label: () -> [UInt8]) {
        number = word(CounterLayout.number)
        openedAt = word(CounterLayout.openedAt)
        self.label = String(decoding: label().prefix { $0 != 0 }, as: UTF8.self)
        counters = ChannelCounters(
            framesSent: word(CounterLayout.framesSent), framesReceived: word(CounterLayout.framesReceived),
            bytesSent: word(CounterLayout.bytesSent), bytesReceived: word(CounterLayout.bytesReceived),
            lateReplies: word(CounterLayout.lateReplies), sleeps: word(CounterLayout.sleeps),
            wakeUpsSent: word(CounterLayout.wakeUpsForFrames) &+ word(CounterLayout.wakeUpsForRoom),
            doorbells: word(CounterLayout.doorbells))
    }
}
