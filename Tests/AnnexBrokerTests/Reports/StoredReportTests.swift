import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexBroker

/// A folder may hold any files. No file may block, deceive or end the reader.
@Suite(.timeLimit(.minutes(20))) struct StoredReportTests {
    private let folder: TemporaryFolder
    private let time = WallClock(microseconds: 1_795_330_714_012_345)

    init() throws { folder = try TemporaryFolder() }

    private func place(_ number: UInt64) -> URL {
        folder.url.appending(path: ReportName("com.example.a", at: time, mark: number).text)
    }

    private func why() throws -> String {
        let (reports, flaws) = try StoredReport.all(in: folder.url.path)
        #expect(reports.isEmpty)
        return flaws.map(\.why).joined(separator: "; ")
    }

    @Test func `a pipe in the folder is not waited for`() throws {
        #expect(mkfifo(place(1).path, 0o600) == 0)
        #expect(try why() == "not a regular file")
    }

    @Test func `a directory is no report`() throws {
        try FileManager.default.createDirectory(at: place(1), withIntermediateDirectories: false)
        #expect(try why() == "not a regular file")
    }

    @Test func `a link is not followed`() throws {
        try Data(EndReport(.example(), at: time).bytes).write(to: folder.url.appending(path: ".real"))
        try FileManager.default.createSymbolicLink(
            at: place(1), withDestinationURL: folder.url.appending(path: ".real"))
        #expect(try why() == "Too many levels of symbolic links")
    }

    @Test func `a file with a second name is no report`() throws {
        let real = folder.url.appending(path: ".real")
        try Data(EndReport(.example(), at: time).bytes).write(to: real)
        try FileManager.default.linkItem(at: real, to: place(1))
        #expect(try why() == "has a second name: it is a hard link")
    }

    @Test func `no more reports are read than requested`() throws {
        for number in 1...3 as ClosedRange<UInt64> {
            let time = WallClock(microseconds: time.microseconds + Int64(number))
            let place = folder.url.appending(path: ReportName("com.example.a", at: time, mark: number).text)
            // The oldest report is damaged, but the reader stops before it.
            try Data(number == 1 ? [] : EndReport(.example(), at: time).bytes).write(to: place)
        }
        let (reports, flaws) = try StoredReport.all(in: folder.url.path, atMost: 2)
        #expect(reports.count == 2 && flaws.isEmpty)
        let none = try StoredReport.all(in: folder.url.path, atMost: 2) { _ in false }
        #expect(none.reports.isEmpty && none.flaws.count == 1)
    }

    @Test func `a huge file is not read`() throws {
        try Data().write(to: place(1))
        #expect(truncate(place(1).path, 1 << 40) == 0)
        #expect(try why() == "larger than any report")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, which alone can give a file away"))
    func `a file of another user is not believed`() throws {
        try Data(EndReport(.example(), at: time).bytes).write(to: place(1))
        #expect(chown(place(1).path, 65534, 65534) == 0)
        #expect(try why() == "belongs to user 65534, but its folder to user 0")
    }

    @Test func `every torn report is skipped`() throws {
        let whole = EndReport(.example(), at: time).bytes
        for length in 0..<(whole.count - 2) {
            try Data(whole.prefix(length)).write(to: place(1))
            let (reports, flaws) = try StoredReport.all(in: folder.url.path)
            #expect(reports.isEmpty && flaws.count == 1, "\(length)")
        }
        try Data(whole).write(to: place(1))
        #expect(try StoredReport.all(in: folder.url.path).reports.count == 1)
    }

    @Test(arguments: [
        "null", "[]", "{}", "7", #"{"time": 7}"#, #"{"time": "", "identifier": "a"}"#, "{\"time\": \"\u{1B}\"}",
    ])
    func `other JSON is no report`(text: String) throws {
        try Data(text.utf8).write(to: place(1))
        #expect(try !why().isEmpty)
    }

    @Test func `deeply nested text is refused`() throws {
        try Data((String(repeating: "[", count: 60_000)).utf8).write(to: place(1))
        #expect(try why().contains("nested deeper"))
    }

    @Test func `a report may hold any text and number`() throws {
        let text = #"{"time": "\u001b", "identifier": "\u202e", "reason": "x", "lifetimeSeconds": 1e400, "steps": 7}"#
        try Data(text.utf8).write(to: place(1))
        #expect(try StoredReport.all(in: folder.url.path).reports.count == 1)
    }

    @Test func `a folder with too many files is an error`() throws {
        for number in 0...UInt64(ReportFolder.mostNames) { try Data().write(to: place(number)) }
        #expect(throws: SystemError.self) { try StoredReport.all(in: folder.url.path) }
    }
}
