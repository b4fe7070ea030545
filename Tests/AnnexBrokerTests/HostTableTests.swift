import AnnexChannel
import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBroker

/// A published status names the channel of a host by a number and a label. A reader of statuses reads the counters of
/// this channel only if the host, the number and the label fit together.
@Suite struct HostTableTests {
    private let label = "com.example.table \(UInt64.random(in: 0 ... .max))"

    private func channel() throws -> HostEndpoint {
        var configuration = ChannelConfiguration()
        configuration.label = label
        return try HostEndpoint.make(configuration: configuration).host
    }

    private func own() throws -> ProcessIdentity { try #require(ProcessIdentity.now(getpid())) }

    @Test func `the counters of a host are read by number and label`() throws {
        let host = try channel()
        var table = HostTable()
        let number = host.counterNumber
        #expect(try table.counters(number, of: own(), label: label) == host.counters)
        #expect(try table.counters(number, of: own(), label: label + "x") == nil)
        for other in [0, number + 1_000_000, .max] as [UInt64] {
            #expect(try table.counters(other, of: own(), label: label) == nil)
        }
    }

    @Test func `DEPUTY-07: the counters of a reused process number or another user are not read`() throws {
        let host = try channel()
        let own = try own()
        var table = HostTable()
        let others = [
            ProcessIdentity(process: own.process, started: own.started + 1, user: own.user),
            ProcessIdentity(process: own.process, started: own.started, user: own.user + 1),
            ProcessIdentity(process: .max, started: own.started, user: own.user),
            ProcessIdentity(process: 1, started: own.started, user: own.user),
        ]
        for other in others { #expect(table.counters(host.counterNumber, of: other, label: label) == nil) }
        #expect(table.counters(host.counterNumber, of: own, label: label) != nil)
    }

    /// The caller of a set-uid program passes descriptors to the program, but the program has another user.
    @Test(.enabled(if: geteuid() == 0, "needs root: nobody else has programs with another's rights at hand"))
    func `DEPUTY-07: a set-uid program never counts as broker, warden or host`() async throws {
        let child = try ChildProcess(
            URL(filePath: "/usr/bin/setpriv"), arguments: ["--ruid", "65534", "sleep", "1000"])
        let number = child.number
        defer { child.signal(SIGKILL) }
        await eventually { ProcText.lines(of: "/proc/\(number)/comm") == ["sleep"] }
        #expect(ProcessIdentity.now(number) == nil)
        #expect(ProcessIdentity.now(getpid()) != nil)
    }

    @Test func `DEPUTY-07: a broker can name only hosts of its own user unless it is root`() throws {
        let named = ProcessIdentity(process: 4711, started: 5, user: 1000)
        let entry = LiveStatusEntry(label, policy: "compute", memoryLimit: 0)
        entry.record(.remote(named, counters: 7))
        func host(of broker: ProcessIdentity) throws -> ProcessIdentity? {
            let slots = try SlotCopy.all(LiveStatusLayout.file, of: getpid())
            let slot = try #require(slots.first { $0.text(LiveStatusLayout.identifier) == label })
            #expect(slot.word(LiveStatusLayout.channel) == 7)
            return LiveStatusSnapshot.host(slot, of: broker)
        }
        #expect(try host(of: ProcessIdentity(process: 1, started: 1, user: 0)) == named)
        #expect(try host(of: ProcessIdentity(process: 1, started: 1, user: 1000)) == named)
        #expect(try host(of: ProcessIdentity(process: 1, started: 1, user: 1001)) == nil)
        // A status may name the process number of its own broker. The host is then the broker itself, whatever user
        // and start time the status states.
        let itself = ProcessIdentity(process: 4711, started: 9, user: 33)
        #expect(try host(of: itself) == itself)
    }

    @Test(arguments: [0, UInt64.max, 1 << 31, 1 << 32])
    func `an impossible process number in a status names no process`(number: UInt64) throws {
        let slot = SharedSlot(LiveStatusLayout.file, texts: [(LiveStatusLayout.identifier, label)])
        slot.store(number, in: LiveStatusLayout.host)
        slot.store(.max, in: LiveStatusLayout.hostUser)
        slot.store(.max, in: LiveStatusLayout.hostStarted)
        let copies = try SlotCopy.all(LiveStatusLayout.file, of: getpid())
        let copy = try #require(copies.first { $0.text(LiveStatusLayout.identifier) == label })
        #expect(LiveStatusSnapshot.host(copy, of: ProcessIdentity(process: 1, started: 1, user: 0)) == nil)
    }

    @Test func `a host that cannot be read is not named`() throws {
        #expect(ProcessIdentity(0, of: 0) == nil && ProcessIdentity(-1, of: 0) == nil)
        let entry = LiveStatusEntry(label, policy: "compute", memoryLimit: 0)
        entry.record(.remote(nil, counters: 7))
        let slots = try SlotCopy.all(LiveStatusLayout.file, of: getpid())
        let slot = try #require(slots.first { $0.text(LiveStatusLayout.identifier) == label })
        #expect(slot.word(LiveStatusLayout.host) == 0 && slot.word(LiveStatusLayout.channel) == 0)
    }
}
