internal import AnnexLinux
internal import Glibc

/// The brokers that run, found by their wardens: each holds a pidfd of its broker.
struct BrokerTable: Sendable {
    /// Each broker's wardens.
    private(set) var brokers: [ProcessIdentity: Set<Int32>] = [:]

    /// Nobody has more processes than this.
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

    /// Whose warden it is. Any process can call itself one; only one of the broker's own user is believed.
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
