package import AnnexChannel
internal import AnnexLaunch
internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// The host's end of an extension's channel. This end counts messages and bytes.
package enum HostEnd: Sendable {
    /// The end is in this process.
    case own(HostEndpoint)
    /// The host's process holds this end. The host states the number under which it publishes its counts. The identity
    /// is nil if that process cannot be inspected.
    case remote(ProcessIdentity?, counters: UInt64)

    /// Whether the host is this process.
    var isOwn: Bool {
        if case .own = self { true } else { false }
    }

    /// The host's process for the log. It is nil if the host is this process, or cannot be inspected.
    var process: Int32? {
        if case .remote(let identity, _) = self { identity?.process } else { nil }
    }

    /// The counts of the channel; nil if the host's end is in another process.
    var counts: SessionStatistics? {
        if case .own(let channel) = self { SessionStatistics(channel.counters) } else { nil }
    }
}

/// A process ID together with the process's start time. The kernel may reuse an ID, but not with the same start time.
package struct ProcessIdentity: Sendable, Hashable {
    package let process: Int32
    /// When the process started, in clock ticks after boot.
    let started: UInt64
    /// The user whose rights the process has.
    let user: UInt32

    init(process: Int32, started: UInt64, user: UInt32) {
        self.process = process
        self.started = started
        self.user = user
    }

    /// The identity of a running process; nil if no process has this ID.
    /// - Parameter user: the process's user, as the kernel reported it for this ID.
    package init?(_ process: Int32, of user: UInt32) {
        guard process > 0, let stat = ProcessStat(process) else { return nil }
        self.init(process: process, started: stat.started, user: user)
    }

    /// The identity of the process that has this ID now. It is nil if no process has this ID, or if the process's user
    /// IDs differ from each other.
    static func now(_ process: Int32) -> ProcessIdentity? {
        user(of: process).flatMap { ProcessIdentity(process, of: $0) }
    }

    private static func user(of process: Int32) -> UInt32? {
        guard let file = try? Descriptor.open("/proc/\(process)/status", O_RDONLY),
            let bytes = try? file.readAll(atMost: 16_384)
        else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Uid:") }
        // The line lists the real, effective, saved and file-system user. The IDs differ if another user started a
        // set-uid program. The program's descriptors may come from that other user. So a process with different IDs
        // counts as the process of no user.
        let users = Set(line?.split(separator: "\t").dropFirst() ?? [])
        return users.count == 1 ? users.first.flatMap { UInt32($0) } : nil
    }
}
