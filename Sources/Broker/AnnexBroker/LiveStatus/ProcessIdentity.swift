internal import AnnexLinux
internal import AnnexSandbox
internal import Glibc

/// A process that no other is mistaken for: its number is given again when it is gone, but never with the same start.
package struct ProcessIdentity: Sendable, Hashable {
    package let process: Int32
    /// Clock ticks after boot.
    let started: UInt64
    /// Whose rights it has.
    let user: UInt32

    init(process: Int32, started: UInt64, user: UInt32) {
        self.process = process
        self.started = started
        self.user = user
    }

    /// A process that runs now; nil where the number is none's.
    /// - Parameter user: whose it is, as the kernel said of whoever has this number.
    package init?(_ process: Int32, of user: UInt32) {
        guard process > 0, let stat = ProcessStat(process) else { return nil }
        self.init(process: process, started: stat.started, user: user)
    }

    /// The process that has this number now.
    static func now(_ process: Int32) -> ProcessIdentity? {
        user(of: process).flatMap { ProcessIdentity(process, of: $0) }
    }

    private static func user(of process: Int32) -> UInt32? {
        guard let file = try? Descriptor.open("/proc/\(process)/status", O_RDONLY),
            let bytes = try? file.readAll(atMost: 16_384)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
        // Real, effective, saved, and for files. A set-uid program is called, and given descriptors, by who is not its
        // user: it is nobody's.
        let users = Set(line?.split(separator: "\t").dropFirst() ?? [])
        return users.count == 1 ? users.first.flatMap { UInt32($0) } : nil
    }
}
