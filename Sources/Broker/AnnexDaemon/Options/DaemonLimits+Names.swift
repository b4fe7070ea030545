extension DaemonLimits {
    /// The name of a limit on the command line. Times are in seconds.
    package enum Name: String, Sendable, CaseIterable {
        case connections, users, running, apps, extensions, closing, handshake, unread, farewell, idle, processes
        case openRequests = "open-requests"
        case installedBytes = "installed-bytes"
        case allInstalledBytes = "all-installed-bytes"
        case freeBytes = "free-bytes"
        case changesPerMinute = "changes-per-minute"
        case packetsPerSecond = "packets-per-second"
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
        case .installedBytes: installedBytes = Int64(number)
        case .allInstalledBytes: allInstalledBytes = Int64(number)
        case .freeBytes: freeBytes = Int64(number)
        case .changesPerMinute: changesPerMinute = number
        case .packetsPerSecond: packetsPerSecond = number
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
