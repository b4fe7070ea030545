import AnnexBroker
import AnnexHost
import AnnexTestSupport
import Foundation
import Logging
import Synchronization
import Testing

/// The broker's lines in its program's log. A program can bootstrap the log only once, so the test runs in a separate
/// process.
@Suite(.timeLimit(.minutes(20))) struct BrokerLogTests {
    @Test func `the log has the launch, the hello and the end of an extension`() async throws {
        let app = try SubstituteApp(running: "works-on")
        await #expect(processExitsWith: .success) { [path = app.path as String] in
            let lines = LogLines()
            LoggingSystem.bootstrap { label in lines.handler(label) }
            var wishes = BrokerConfiguration()
            wishes.patience = .patience
            wishes.reports = .folder("/dev/null/reports")
            let broker = try Broker(wishes)
            _ = try broker.install(app: path)
            let host = AnnexHost(service: broker)
            let session = try await host.begin(SubstituteApp.identifier)
            await #expect(throws: HostError.self) { try await session.request([ExtensionItem(contentText: "exits")]) }
            await eventually { lines.all.contains { $0.text == "a report is lost" } }
            let of = lines.all.filter { $0.metadata["identifier"] == .string(SubstituteApp.identifier) }
            #expect(
                Set(of.map(\.text)) == [
                    "an extension is launched", "an extension is ready", "an extension ended", "a report is lost",
                ],
                "\(of)")
            let end = try #require(of.first { $0.text == "an extension ended" })
            #expect(end.level == .notice && end.metadata["reason"] == .string("exited"), "\(end)")
            #expect(end.metadata["detail"] == .string("exit code 3") && end.metadata["policy"] != nil, "\(end)")
            #expect(of.allSatisfy { $0.label == "annex.broker" })
        }
    }
}

/// The logged lines, and their loggers.
private final class LogLines: Sendable {
    struct Line: Sendable {
        let label: String
        let level: Logger.Level
        let text: String
        let metadata: Logger.Metadata
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock { $0 } }

    func add(_ line: Line) { lines.withLock { $0.append(line) } }

    func handler(_ label: String) -> some LogHandler { Handler(lines: self, label: label) }

    private struct Handler: LogHandler {
        let lines: LogLines
        let label: String
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.add(
                Line(label: label, level: event.level, text: "\(event.message)", metadata: event.metadata ?? [:]))
        }
    }
}
