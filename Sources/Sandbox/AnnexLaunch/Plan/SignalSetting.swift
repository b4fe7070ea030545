/// The signals that a program ignores and blocks when it begins. Bit n - 1 of each number stands for signal n. `execve`
/// keeps both sets, so a program inherits them from the process that starts it: `nohup` ignores SIGHUP for its program.
package struct SignalSetting: Sendable, Hashable {
    package var ignored: UInt64
    package var blocked: UInt64

    /// Every signal has its default action.
    package static let none = SignalSetting(ignored: 0, blocked: 0)

    package init(ignored: UInt64, blocked: UInt64) {
        self.ignored = ignored
        self.blocked = blocked
    }

    /// The setting of this process's first thread at this moment; `none` if the kernel does not report it.
    package static func ofThisProcess() -> SignalSetting {
        guard let status = TextFile.read("/proc/self/status") else { return .none }
        return SignalSetting(ignored: set("SigIgn", in: status), blocked: set("SigBlk", in: status))
    }

    private static func set(_ field: String, in status: String) -> UInt64 {
        (TextFile.field(field, in: status).flatMap { UInt64($0, radix: 16) } ?? 0) & ~ofLibrary
    }

    /// The two signals that the C library keeps to itself. Each program's library sets them anew.
    private static let ofLibrary: UInt64 = 1 << 31 | 1 << 32

    /// Whether a signal of this number does not end a program that has this setting.
    package func holds(_ signal: Int32) -> Bool {
        guard 1...64 ~= signal else { return false }
        return (ignored | blocked) >> UInt64(signal - 1) & 1 == 1
    }
}
