import AnnexTestSupport
import AnnexTransferWire
import Testing

@testable import AnnexTransferProgram

/// What the agent reads of the lines of a hostile server.
@Suite(.timeLimit(.minutes(20))) struct AnswerHeadTests {
    static func head(_ lines: String...) -> AnswerHead {
        var head = AnswerHead()
        for line in lines + [""] { head.add(Array((line + "\r\n").utf8)) }
        return head
    }

    @Test func `each field that is told twice is unreadable`() {
        let head = Self.head(
            "HTTP/1.1 302 Found", "Date: a", "Date: b", "Location: http://a.example/", "Location: http://b.example/",
            "ETag: \"a\"", "ETag: \"b\"")
        #expect(head.unreadable == [.date, .location, .entityTag])
        #expect(TransferValidator(of: head, seconds: { _ in 1 }) == nil)
        let place = HTTPLocation(
            isSecure: false, host: "a.example", port: 80, hasCredentials: false, url: "http://a.example/")
        #expect(throws: TransferError.redirectRefused) {
            _ = try RedirectRule.next(after: head, from: place, method: .get, redirects: 0) { _, _ in place }
        }
    }

    @Test func `a line after the body begins no other answer`() {
        var head = Self.head("HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "ETag: \"a\"", "")
        #expect(head.isWhole && head.status == 200)
        for line in ["HTTP/1.1 404 No", "ETag: \"b\"", "  "] { head.add(Array((line + "\r\n").utf8)) }
        #expect(head.isWhole && head.status == 200 && head.fields == [.entityTag: "\"a\""])
    }

    @Test func `the last head counts, and lines after the body do not`() {
        var head = Self.head("HTTP/1.1 103 Early", "ETag: \"a\"", "X-A: b")
        #expect(head.isWhole && head.isInterim)
        for line in ["HTTP/1.1 200 OK", "etag:\t \"b\" ", "X-C: d", ""] { head.add(Array((line + "\r\n").utf8)) }
        #expect(head.isWhole && !head.isInterim && head.status == 200 && head.fields == [.entityTag: "\"b\""])
        #expect(head.lines == Array("etag:\t \"b\" \r\nX-C: d\r\n".utf8))
        head.add(Array("ETag: \"c\"\r\n".utf8))
        #expect(head.fields == [.entityTag: "\"b\""] && head.unreadable.isEmpty)
    }

    @Test func `a field that comes twice with two values, or is no text, cannot be read`() {
        #expect(Self.head("HTTP/1.1 200 OK", "Content-Length: 5", "content-length: 5").unreadable.isEmpty)
        var latin = AnswerHead()
        latin.add(Array("HTTP/1.1 302 Found\r\n".utf8))
        latin.add(Array("Location: /".utf8) + [0xfc, 0x0d, 0x0a])
        #expect(latin.unreadable == [.location] && latin.fields[.location] != nil)
        let two = Self.head("HTTP/1.1 200 OK", "Content-Length: 5", "Content-Length: 6")
        #expect(two.unreadable == [.contentLength])
        #expect(DownloadPlan(after: two, offset: 0, validator: nil) == .fail(.bodyMismatch))
    }

    @Test func `the broker learns whole lines of at most 16 KiB`() {
        var head = AnswerHead()
        head.add(Array("HTTP/1.1 200 OK\r\n".utf8))
        let line = Array(("X-A: " + String(repeating: "v", count: 993) + "\r\n").utf8)
        for _ in 0..<20 { head.add(line) }
        #expect(head.lines.count == 16_000 && head.linesWereCut && head.bytes == 20_017)
        head.add(Array("A: b\r\n".utf8))
        #expect(head.lines.count == 16_000)
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 -200", "HTTP/1.1 abc"])
    func `a status that is no number of three digits is none`(_ line: String) {
        #expect(Self.head(line).status == 0)
    }

    @Test func `any lines are read, and never more of them are kept than their limit`() {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let starts = ["HTTP/1.1 200", "ETag:", "Content-Range: bytes ", "Location:", "Retry-After: ", ":", "", "Date:"]
        for _ in 0..<200 {
            var head = AnswerHead()
            for _ in 0..<50 {
                let start = starts.randomElement(using: &random) ?? ""
                let rest = (0..<Int.random(in: 0...900, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                head.add(Array(start.utf8) + rest + [0x0a])
            }
            #expect(head.lines.count <= TransferLimits.answerHeaders, "SEED \(seed)")
            _ = DownloadPlan(after: head, offset: 5, validator: TransferValidator(of: head) { _ in 5 })
            _ = TransferRetry(after: head) { _ in Int64.min }
        }
    }
}

/// `Content-Range`, of which only the exact form is taken.
@Suite(.timeLimit(.minutes(20))) struct ContentRangeTests {
    @Test func `a part with its whole, and a part of an unknown whole`() {
        #expect(ContentRange("bytes 5-9/10")?.part == 5...9)
        #expect(ContentRange("bytes 5-9/10")?.whole == 10)
        #expect(ContentRange("Bytes 5-9/*").map { $0.whole } == .some(nil))
        #expect(ContentRange("bytes */10").map { $0.part } == .some(nil))
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-9", "bytes 9-5/10", "bytes 5-10/10", "bytes -5/10", "bytes 5-/10", "bytes +5-9/10",
        "bytes 5 - 9/10", "bytes 5-9/10/11", "bytes 5-9/", "units 5-9/10", "bytes 5-99999999999999999999/*",
        "bytes \u{0665}-9/10",
    ])
    func `any other text is no range`(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func `the last byte of the largest file traps nothing`() {
        let head = AnswerHeadTests.head("HTTP/1.1 206 Part", "Content-Range: bytes 5-18446744073709551615/*")
        #expect(DownloadPlan(after: head, offset: 5, validator: nil) == .fail(.bodyMismatch))
        let whole = AnswerHeadTests.head("HTTP/1.1 206 Part", "Content-Range: bytes 0-18446744073709551615/*")
        #expect(DownloadPlan(after: whole, offset: 0, validator: nil) == .fail(.bodyMismatch))
    }
}

/// When the server's own word decides about a further attempt.
@Suite(.timeLimit(.minutes(20))) struct RetryRuleTests {
    @Test(arguments: [
        ("Retry-After: 120", TransferRetry.after(120)), ("Retry-After: 0", .after(0)), ("Retry-After: soon", .later),
        ("Retry-After: -1", .later), ("Retry-After: 99999999999999999999", .later),
        ("Retry-After: 1000000", .after(86_400)),
        ("Retry-After: then", .after(100)), ("Retry-After: past", .after(0)), ("X: y", .later),
    ])
    func `a server that is busy names the time of the next attempt, of a day at most`(
        _ line: String, _ retry: TransferRetry
    ) {
        let head = AnswerHeadTests.head("HTTP/1.1 429 Busy", "Date: now", line)
        #expect(TransferRetry(after: head) { ["now": 1000, "then": 1100, "past": 5][$0] } == retry)
    }

    @Test func `a date without the date of the server names no time, and other statuses no attempt`() {
        let head = AnswerHeadTests.head("HTTP/1.1 503 Busy", "Retry-After: then")
        #expect(TransferRetry(after: head) { $0 == "then" ? 1100 : nil } == .later)
        let gone = AnswerHeadTests.head("HTTP/1.1 404 None", "Retry-After: 5")
        #expect(TransferRetry(after: gone) { _ in nil } == .never)
    }
}
