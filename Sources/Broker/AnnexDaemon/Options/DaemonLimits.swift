internal import Glibc

/// What one user may have with a daemon, and all of them together. More is refused, or waits.
package struct DaemonLimits: Sendable, Hashable {
    /// Connections of one user.
    package var connections = 64
    /// Users with anything open.
    package var users = 64
    /// Requests of one user that are not answered yet.
    package var openRequests = 64
    /// Extensions of one user that run or wait for a place.
    package var running = 256
    /// Apps of one user, and the extensions in them.
    package var apps = 64
    package var extensions = 256
    /// Bytes of one user's installed apps.
    package var installedBytes: Int64 = 2 << 30
    /// Bytes of all users' installed apps together, and how many must stay free on their disk.
    package var allInstalledBytes: Int64 = 64 << 30
    package var freeBytes: Int64 = 256 << 20
    /// Changes of one user's store within a minute: installations, removals, switches. Each makes the disk of all write.
    package var changesPerMinute = 240
    /// Packets within a second that are read from one user's connections; what is more waits in the sockets.
    package var packetsPerSecond = 20_000
    /// Descriptors of one user's that wait to be closed: a file system of his own may take its time. None of his packets
    /// are read then; and where four times as many wait, no connection of his is taken.
    package var closing = 256
    /// Memory of all extensions of one user together, in bytes; half of the machine's.
    package var memoryBytes: Int64 = DaemonLimits.machineMemory / 2
    /// Their processes and threads.
    package var processes = 4096
    /// Their share of the processors and the disks where others want them too: the daemon itself has 100.
    package var processorWeight = 50
    package var diskWeight = 50
    /// From the connection to its hello.
    package var handshake = Duration.seconds(5)
    /// What a connection has not read yet: packets, and how long nothing of it may move.
    package var unreadPackets = 512
    package var unread = Duration.seconds(10)
    /// Bytes that all connections of one user have not read yet.
    package var unreadBytes = 16 << 20
    /// For the ends of extensions when the daemon goes.
    package var farewell = Duration.seconds(10)
    /// How long a user without connections and extensions keeps his broker, and with it its memory of failures.
    package var idle = Duration.seconds(600)

    private static let machineMemory: Int64 = {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        return Int64(clamping: max(pages, 1 << 10)) * Int64(clamping: max(size, 1 << 12))
    }()

    var mostClosing: Int { closing * 4 }

    package init() {}
}
