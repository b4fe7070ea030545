import AnnexTestSupport
import Foundation
import Logging
import Testing

@testable import AnnexDaemon

@Suite(.timeLimit(.minutes(20))) struct LogWriterTests {
    /// A log whose reader reads only on request.
    private final class Pipeline: Sendable {
        let pipe = Pipe()
        var end: Int32 { pipe.fileHandleForWriting.fileDescriptor }

        /// The lines up to the first that ends with `end`. The function does not wait for the end of the pipe, because
        /// a child of another test may hold the pipe.
        func lines(upTo end: String) -> [String] {
            var bytes = Data()
            while !bytes.hasSuffix(end + "\n") { bytes += pipe.fileHandleForReading.availableData }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test func `an unread log blocks no writer and counts the lost lines`() async throws {
        let pipeline = Pipeline()
        let writer = LogWriter(to: pipeline.end)
        let line = String(repeating: "x", count: 1_000)
        // These are more lines than the pipe and the queue hold. If the writer waited for the reader, it would wait for
        // ever.
        for number in 0..<5_000 { writer.add("\(number) \(line)") }
        async let reading = Thread.detached { pipeline.lines(upTo: "last") }
        await eventually { writer.isIdle }
        // The next accepted line reports the number of lost lines.
        writer.add("last")
        await eventually { writer.isIdle }
        let lines = try await reading
        let written = lines.count { $0.hasSuffix(line) }
        #expect(written >= LogWriter.mostWaiting && written < 5_000)
        #expect(lines.first == "0 \(line)" && lines.last == "last")
        // The writing thread may free places between two losses. In this case, the log has a report for each loss.
        let lost = lines.compactMap { $0.wholeMatch(of: /annexd: (\d+) lines of this log are lost/) }
        #expect(lost.compactMap { Int($0.1) }.reduce(0, +) == 5_000 - written, "\(lines.suffix(3))")
    }

    @Test func `a log record is one line with its metadata behind it`() throws {
        let pipeline = Pipeline()
        let writer = LogWriter(to: pipeline.end)
        for isForJournal in [true, false] {
            var logger = Logger(label: "annex.broker") {
                DaemonLogHandler($0, level: .info, to: writer, isForJournal: isForJournal)
            }
            logger[metadataKey: "user"] = "1000"
            logger.debug("is not told")
            logger.notice("ended", metadata: ["detail": "exit code 3", "identifier": "com.a\nroot: all is well"])
        }
        writer.finish(within: .patience)
        let lines = pipeline.lines(upTo: "user=1000")
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("<5>annex.broker: ended detail='exit code 3' identifier="))
        #expect(lines[0].hasSuffix(" user=1000"))
        #expect(lines[1].contains("Z notice annex.broker: ended"))
    }

    @Test func `no value in a log line passes for another key and value`() throws {
        let pipeline = Pipeline()
        let writer = LogWriter(to: pipeline.end)
        let values = [
            "x user=0", "x' user='0", "user=0", "'", "''", "\"user=0\"", "a\\' user=0", "", "plain", "it's", "x'", "'x",
            " ",
        ]
        var logger = Logger(label: "annexd") { DaemonLogHandler($0, level: .info, to: writer, isForJournal: true) }
        logger[metadataKey: "user"] = "1000"
        for value in values { logger.notice("installed", metadata: ["identifier": "\(value)", "program": "\(value)"]) }
        logger.notice("last")
        writer.finish(within: .patience)
        let lines = pipeline.lines(upTo: "last user=1000")
        try #require(lines.count == values.count + 1)
        for (line, value) in zip(lines, values) {
            #expect(
                pairs(of: line, behind: "<5>annexd: installed ") == [
                    ["identifier", value], ["program", value], ["user", "1000"],
                ], "\(line)")
        }
    }

    /// Parses keys and values in the form that the documentation describes.
    private func pairs(of line: String, behind prefix: String) -> [[String]] {
        var pairs: [[String]] = []
        var rest = line.dropFirst(prefix.count)
        while let equals = rest.firstIndex(of: "=") {
            let key = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            pairs.append([key, value(&rest)])
            rest = rest.dropFirst()
        }
        return pairs
    }

    private func value(_ rest: inout Substring) -> String {
        guard rest.first == "'" else {
            let word = rest.prefix { $0 != " " }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        var value = ""
        rest = rest.dropFirst()
        while let next = rest.popFirst() {
            if next != "'" {
                value.append(next)
            } else if rest.first == "'" {
                value.append("'")
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        return value
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
