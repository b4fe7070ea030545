import AnnexBroker
import AnnexBrokerAPI
import AnnexChannel
import AnnexHost
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

/// The counts of messages in the channels of a daemon's extensions, as shown in `annex top` and in reports. The daemon
/// itself does not see the messages.
@Suite(.timeLimit(.minutes(20))) struct CountsTests {
    private let daemon: TestDaemon
    private let honest: HonestHost

    init() async throws {
        daemon = try await TestDaemon()
        honest = try HonestHost(daemon)
    }

    /// The rows of this test's daemon, oldest first.
    private func rows() -> [LiveStatusSnapshot] {
        LiveStatusSnapshot.all().filter { $0.broker == daemon.number }.sorted { $0.number < $1.number }
    }

    /// The counts of the channel in each end's report.
    private func reported(_ count: Int) async throws -> [[String: UInt64]?] {
        func all() -> [URL] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: daemon.reports.path)) ?? []
            return names.sorted().filter { $0.hasSuffix(".json") }.map { daemon.reports.appending(path: $0) }
        }
        await eventually { all().count >= count }
        return try all().map { file in
            let report = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            return try #require(report)["messages"] as? [String: UInt64]
        }
    }

    // MARK: Honest hosts

    @Test func `the messages of an extension are shown in annex top and in its report`() async throws {
        let session = try await honest.begin()
        for _ in 0..<3 { _ = try await honest.text(session, "looks 1") }
        let before = session.statistics
        let shown = try #require(rows().first)
        #expect(shown.channel.map { SessionStatistics($0) } == before && before.messagesSent >= 3)
        let folder = try TemporaryFolder()
        let top = try await Program.annex("top", "--once", "--json", "--interval", "0.05", in: folder)
        let look = try #require(try JSONSerialization.jsonObject(with: Data(top.output.utf8)) as? [String: Any])
        let row = (look["extensions"] as? [[String: Any]])?.first { $0["broker"] as? Int == Int(daemon.number) }
        #expect(row?["messagesPerSecond"] as? Double == 0 && row?["bytesPerSecond"] as? Double == 0, "\(top)")
        let end = try #require(await session.complete().usage.messages)
        // The report has the counts of the host's last notice. Depending on the time of the end, later messages to the
        // extension may be missing from that notice.
        let told = try #require(try await reported(1).first ?? nil)
        #expect(told == before.told || told == end.told, "\(told), \(before), \(end)")
        #expect(rows().isEmpty)
    }

    @Test func `a host in another process is read while it lives and its last counts stay`() async throws {
        let holding = try FixtureHost([daemon.socket, "hold", SubstituteApp.identifier])
        #expect(try await holding.firstLine() == "holds 0")
        // The host has received the hello, and has sent the request during which the extension sleeps.
        await eventually { rows().first?.channel?.framesSent ?? 0 > 0 }
        #expect(rows().first?.channel?.framesReceived == 1 && rows().first?.channel?.bytesSent ?? 0 > 0)
        holding.kill()
        let told = try #require(try await reported(1).first ?? nil)
        #expect(told["received"] == 1 && told["bytesReceived"] == 16, "\(told)")
    }

    // MARK: Dishonest hosts

    /// Launches an extension by raw packets, with chosen claims about the channel.
    private func launch(_ client: RawClient, _ number: UInt64, counters: UInt64) async throws -> HostEndpoint {
        let channel = try HostEndpoint.make()
        let host = channel.host
        let given = ForgedDescriptors(
            channel.descriptors.control, channel.descriptors.hostRegion, channel.descriptors.extensionRegion)
        let request = ServiceRequest.launch(
            extension: SubstituteApp.identifier, for: .request, timeLimit: nil, counters: counters)
        #expect(try await client.ask(number, request, given.numbers) == .done)
        return host
    }

    @Test func `false counts of one host show as dashes and change no other row`() async throws {
        let session = try await honest.begin()
        _ = try await honest.text(session, "looks 1")
        var configuration = ChannelConfiguration()
        configuration.label = "com.example.another"
        let another = try HostEndpoint.make(configuration: configuration).host
        let client = try await RawClient(daemon.socket)
        var kept: [HostEndpoint] = [another]
        let numbers: [UInt64] = [0, another.counterNumber, another.counterNumber + 1_000_000, .max]
        for (index, number) in numbers.enumerated() {
            kept.append(try await launch(client, UInt64(index + 1), counters: number))
        }
        let rows = rows()
        #expect(rows.count == 5 && rows.dropFirst().allSatisfy { $0.channel == nil }, "\(rows)")
        #expect(rows.first?.channel.map { SessionStatistics($0) } == session.statistics)
        for number in 1...4 as ClosedRange<UInt64> {
            try await client.send(.notice(number, .dismissed(.cancelled)))
        }
        _ = try await reported(4)
        try await honest.works()
        #expect(await session.complete().reason == .completed)
        withExtendedLifetime(kept) {}
    }

    @Test func `the counts of the last notice are reported unchanged`() async throws {
        let client = try await RawClient(daemon.socket)
        let host = try await launch(client, 1, counters: .max)
        let most = SessionStatistics(
            messagesSent: .max, messagesReceived: .max, bytesSent: .max, bytesReceived: .max)
        let last = SessionStatistics(messagesSent: 5, messagesReceived: .max, bytesSent: 7, bytesReceived: 0)
        try await client.send(.notice(1, .gaveSign, counts: most))
        try await client.send(.notice(1, .dismissed(.cancelled), counts: last))
        #expect(try await reported(1) == [last.told])
        // The first session gets a notice that comes too late, and the second session gets no notice.
        try await client.send(.notice(1, .gaveSign, counts: most))
        let second = try await launch(client, 2, counters: 0)
        try await honest.host.remove(app: "com.example.shout")
        #expect(try await reported(2) == [last.told, nil])
        let shown = try await Program.annex(
            "reports", "--folder", daemon.reports.path, "--most", "2", "--json", in: daemon.folder)
        #expect(shown.status == 0 && shown.output.contains("\(UInt64.max)"), "\(shown)")
        withExtendedLifetime((host, second)) {}
    }
}

extension SessionStatistics {
    /// The counts in the form of a report.
    fileprivate var told: [String: UInt64] {
        ["sent": messagesSent, "received": messagesReceived, "bytesSent": bytesSent, "bytesReceived": bytesReceived]
    }
}
