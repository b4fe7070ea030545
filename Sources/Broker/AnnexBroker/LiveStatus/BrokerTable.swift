internal import AnnexLinux
internal import Glibc

/// The running brokers. They are found by their wardens, because each warden holds a pidfd of its broker.
struct BrokerTable: Sendable {
    /// Each broker with its wardens.
    private(set) var brokers: [ProcessIdentity: Set<Int32>] = [:]

    /// The most process IDs that Linux gives out.
    private static let mostProcesses = 1 << 22

    static func now() -> BrokerTable {
        var table = BrokerTable()
        guard let folder = try? Descriptor.directory("/proc"),
            let entries = try? folder.entries(atMost: mostProcesses)
        else { return table }
        for process in entries.compactMap({ $0.name.flatMap { Int32($0) } }) {
            guard text("/proc/\(process)/comm") == "annex-warden\n", let broker = broker(of: process) else { continue }
            table.brokers[broker, default: []].insert(process)
        }
        return table
    }

    /// The broker of a warden; nil if there is none. Any process can name itself like a warden, so the warden's user
    /// must be the broker's.
    private static func broker(of warden: Int32) -> ProcessIdentity? {
        let lines = text("/proc/\(warden)/fdinfo/4")?.split(separator: "\n") ?? []
        guard let line = lines.first(where: { $0.hasPrefix("Pid:\t") }), let broker = Int32(line.dropFirst(5)),
            broker > 0, let found = ProcessIdentity.now(broker), found.user == ProcessIdentity.now(warden)?.user
        else { return nil }
        return found
    }

    private static func text(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, O_RDONLY), let bytes = try? file.readAll(atMost: 16_384) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
