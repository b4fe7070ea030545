import AnnexLinux
import Testing

@testable import AnnexBroker

@Suite struct ReportNameTests {
    private let time = WallClock(microseconds: 1_795_330_714_012_345)

    @Test func `a moment is written in UTC`() {
        #expect(time.text == "2026-11-22T06:58:34.012345Z")
        #expect(time.compact == "20261122T065834.012345Z")
        #expect(WallClock(microseconds: -1).text == "1969-12-31T23:59:59.999999Z")
        #expect(WallClock(microseconds: 0) < .now())
        for (second, text) in [
            (951_782_399, "2000-02-28T23:59:59"), (951_782_400, "2000-02-29T00:00:00"),
            (4_107_542_400, "2100-03-01T00:00:00"), (1_735_689_599, "2024-12-31T23:59:59"),
        ] as [(Int64, String)] {
            #expect(WallClock(microseconds: second * 1_000_000).text == text + ".000000Z")
        }
    }

    @Test(arguments: ["com.example.shout.loud", "a", "a-b.c-d", "x_y", String(repeating: "a.", count: 77) + "a"])
    func `a report name reads back as it was written`(identifier: String) throws {
        let name = ReportName(identifier, at: time, mark: 7)
        #expect(name.text == "20261122T065834.012345Z-\(identifier)-0000000000000007.json")
        let read = try #require(ReportName(name.text))
        #expect(read == name && read.identifier == identifier)
    }

    @Test(arguments: ["../../etc/passwd", "a/b", "a\u{1B}[31m", "", "\u{202E}", String(repeating: "é", count: 200)])
    func `DEPUTY-01: no identifier leads out of the folder`(identifier: String) {
        let text = ReportName(identifier, at: time).text
        #expect(text.utf8.count <= 255 && !text.contains("/") && text.allSatisfy { $0.isASCII && $0 != "\u{1B}" })
        #expect(ReportName(text)?.text == text)
    }

    @Test(arguments: [
        "", ".json", "notes.json", "20261122T065834.012345Z.json", "20261122T065834.012345Z-a-7.json",
        "20261122T065834.012345Z-a-000000000000000G.json", "20261122T065834.012345Z-a\n-0000000000000007.json",
        "2026-11-22T06:58:34Z-a-0000000000000007.json", "20261122T065834.012345Z-a-0000000000000007.json~",
        ".writing.annex.1.2.3.4",
    ])
    func `a file name of another form is no report`(name: String) {
        #expect(ReportName(name) == nil)
    }

    @Test func `report names sort by time`() {
        let later = WallClock(microseconds: time.microseconds + 1)
        #expect(ReportName("z", at: time, mark: .max) < ReportName("a", at: later, mark: 0))
    }
}
