internal import Glibc

/// The limits of each user of a daemon, and of all users together. The daemon rejects requests that exceed a limit, or
/// lets them wait.
package struct DaemonLimits: Sendable, Hashable {
    /// The most connections of one user.
    package var connections = 64
    /// The most users with a connection, an extension or an open request.
    package var users = 64
    /// The most requests of one user that are not answered yet.
    package var openRequests = 64
    /// The most extensions of one user that run or wait for an instance slot.
    package var running = 256
    /// The most apps of one user, and the most extensions in them.
    package var apps = 64
    package var extensions = 256
    /// How many versions of each app stay installed. These are the version that is used, and other versions that the
    /// user can choose.
    package var versions = 2
    /// The most bytes of one user's installed apps.
    package var installedBytes: Int64 = 2 << 30
    /// The most bytes of all users' installed apps together, and the bytes that must stay free on their disk.
    package var allInstalledBytes: Int64 = 64 << 30
    package var freeBytes: Int64 = 256 << 20
    /// The most changes of one user's store in a minute, for example installations, removals and grants. Each change
    /// causes writes to the disk, which all users share.
    package var changesPerMinute = 240
    /// The most packets per second that are read from one user's connections. Further packets wait in the sockets.
    package var packetsPerSecond = 20_000
    /// The most connections of one user that are admitted in a second. A few more wait, and all others are closed
    /// unread.
    package var acceptsPerSecond = 256
    /// The most descriptors of one user that may wait to be closed. The user's own file system can make a close slow.
    /// If this number is reached, the daemon reads none of the user's packets. If four times this number is reached,
    /// the daemon accepts no further connection of the user.
    package var closing = 256
    /// The most memory of all extensions of one user together, in bytes. The default is half of the machine's memory.
    package var memoryBytes: Int64 = DaemonLimits.machineMemory / 2
    /// The most processes and threads of one user's extensions.
    package var processes = 4096
    /// The weights of one user's extensions for the processors and the disks. They apply when other programs compete
    /// for the same resource. The daemon itself has the weight 100.
    package var processorWeight = 50
    package var diskWeight = 50
    /// The longest time from the start of a connection to the host's hello.
    package var handshake = Duration.seconds(5)
    /// The most packets that may wait because the host at the other end of a connection does not read. `unread` is the
    /// longest time for which no packet can be sent.
    package var unreadPackets = 512
    package var unread = Duration.seconds(10)
    /// The most bytes that may wait because one user's hosts do not read.
    package var unreadBytes = 16 << 20
    /// How long the daemon waits for extensions to end when it shuts down.
    package var farewell = Duration.seconds(10)
    /// How long the daemon keeps the broker of a user without connections and extensions. The broker holds the record
    /// of the extensions' failures.
    package var idle = Duration.seconds(600)

    private static let machineMemory: Int64 = {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        return Int64(clamping: max(pages, 1 << 10)) * Int64(clamping: max(size, 1 << 12))
    }()

    var mostClosing: Int { closing * 4 }

    /// The most connections of all users without a record that are admitted in a second.
    var acceptsOfNewcomers: Int { min(acceptsPerSecond, 1 << 40) * 4 }

    package init() {}
}

extension DaemonLimits {
    /// The name of a limit on the command line. Times are in seconds.
    package enum Name: String, Sendable, CaseIterable {
        case connections, users, running, apps, extensions, versions, closing, handshake, unread, farewell, idle,
            processes
        case openRequests = "open-requests"
        case installedBytes = "installed-bytes"
        case allInstalledBytes = "all-installed-bytes"
        case freeBytes = "free-bytes"
        case changesPerMinute = "changes-per-minute"
        case packetsPerSecond = "packets-per-second"
        case acceptsPerSecond = "accepts-per-second"
        case unreadPackets = "unread-packets"
        case unreadBytes = "unread-bytes"
        case memoryBytes = "memory-bytes"
        case processorWeight = "processor-weight"
        case diskWeight = "disk-weight"
    }

    package mutating func set(_ name: Name, to number: Int) {
        switch name {
        case .connections: connections = number
        case .users: users = number
        case .openRequests: openRequests = number
        case .running: running = number
        case .apps: apps = number
        case .extensions: extensions = number
        case .versions: versions = number
        case .installedBytes: installedBytes = Int64(number)
        case .allInstalledBytes: allInstalledBytes = Int64(number)
        case .freeBytes: freeBytes = Int64(number)
        case .changesPerMinute: changesPerMinute = number
        case .packetsPerSecond: packetsPerSecond = number
        case .acceptsPerSecond: acceptsPerSecond = number
        case .closing: closing = number
        case .unreadPackets: unreadPackets = number
        case .unreadBytes: unreadBytes = number
        case .memoryBytes: memoryBytes = Int64(number)
        case .processes: processes = number
        // The kernel accepts no higher weight.
        case .processorWeight: processorWeight = min(number, 10_000)
        case .diskWeight: diskWeight = min(number, 10_000)
        case .handshake: handshake = .seconds(number)
        case .unread: unread = .seconds(number)
        case .farewell: farewell = .seconds(number)
        case .idle: idle = .seconds(number)
        }
    }
}
