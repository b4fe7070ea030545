import AnnexMessages
import AnnexTransferWire
import Testing

/// What a message may not say. Each rule holds where a message is decoded, because the other end is hostile.
@Suite(.timeLimit(.minutes(20))) struct TransferRuleTests {
    static let key = TransferKey(task: 1, attempt: 1)
    static let file = TransferWork.download(TransferDownload(mostBytes: 10))

    static func job(
        _ method: TransferMethod = .get, url: String = "http://example.org/", headers: [TransferHeader] = [],
        patience: TransferPatience = TransferPatience(), work: TransferWork = file
    ) -> TransferJob {
        TransferJob(key: key, method: method, url: url, headers: headers, patience: patience, work: work)
    }

    @Test(arguments: [
        "", "http://a b/", "http://a\r\nX: y/", "http://ä/", "http://a/\u{7f}", String(repeating: "a", count: 8193),
    ])
    func `a URL has 1 to 8192 printable ASCII characters`(_ url: String) {
        #expect(fails(Self.job(url: url)))
    }

    @Test(arguments: [
        ("", "v"), ("A B", "v"), ("A:", "v"), ("Ä", "v"), ("A", "v\r\nB: c"), ("A", "v\n"), ("A", "\0"),
        ("A", "\u{7f}"), ("Host", "v"), ("CONTENT-length", "1"), ("Transfer-Encoding", "chunked"),
        ("Range", "bytes=0-"),
        ("Cookie", "a"), ("Proxy-Authorization", "a"), ("Expect", "a"), ("A", String(repeating: "v", count: 16 << 10)),
    ])
    func `a header is a token and a line that the agent does not write itself`(_ name: String, _ value: String) {
        #expect(fails(Self.job(headers: [TransferHeader(name: name, value: value)])))
    }

    @Test func `a job has at most 64 headers and no time limit of zero or of more than a week`() {
        let headers = [TransferHeader](repeating: TransferHeader(name: "A", value: "b"), count: 65)
        #expect(fails(Self.job(headers: headers)))
        #expect(!fails(Self.job(headers: Array(headers.dropLast()))))
        for (first, second, third) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 604_801)] {
            let patience = TransferPatience(
                connecting: UInt32(first), idle: UInt32(second), whole: UInt32(third))
            #expect(fails(Self.job(patience: patience)))
        }
    }

    @Test func `GET is the method of downloads and of nothing else`() {
        #expect(fails(Self.job(.put)))
        #expect(fails(Self.job(.get, work: .upload(size: 1))))
        #expect(!fails(Self.job(.put, work: .upload(size: 1))))
    }

    @Test func `a download begins within its largest size`() {
        #expect(fails(Self.job(work: .download(TransferDownload(offset: 11, mostBytes: 10)))))
        #expect(fails(Self.job(work: .download(TransferDownload(mostBytes: .max)))))
    }

    @Test(arguments: [
        TransferValidator.entityTag("W/\"a\""), .entityTag("a"), .entityTag("\"\""), .entityTag("\"a\"b\""),
        .entityTag("\"a\r\n\""), .lastModified(""), .lastModified("\n"),
        .lastModified(String(repeating: "a", count: 513)),
    ])
    func `a validator is a strong tag or a date on one line`(_ validator: TransferValidator) {
        #expect(fails(Self.job(work: .download(TransferDownload(validator: validator, mostBytes: 10)))))
    }

    @Test(arguments: [
        [], [TransferPart](repeating: TransferPart(name: "a", text: "b"), count: 65),
        [TransferPart](repeating: TransferPart(name: "a", fileName: nil, type: nil, size: 1), count: 17),
        [TransferPart(name: "a", text: String(repeating: "b", count: (64 << 10) + 1))],
        [TransferPart](repeating: TransferPart(name: "a", fileName: nil, type: nil, size: .max / 2), count: 3),
        [TransferPart(name: "", text: "b")], [TransferPart(name: "a\r\nX: y", text: "b")],
        [TransferPart(name: "a", fileName: "b\n", type: nil, size: 1)],
        [TransferPart(name: "a", fileName: nil, type: "text/plain\r\nX: y", size: 1)],
    ])
    func `a form has 1 to 64 parts with 16 files and 64 KiB of text whose names are on one line`(
        _ parts: [TransferPart]
    ) {
        #expect(fails(Self.job(.post, work: .form(parts))))
    }

    @Test(arguments: [
        [], [String](repeating: "192.0.2.1", count: 17), ["example.org"], ["192.0.2.1,192.0.2.2"], ["[::1]"],
        ["::1%eth0"], [""], [String(repeating: "1", count: 46)],
    ])
    func `an answer to a question has 1 to 16 numeric addresses`(_ addresses: [String]) throws {
        let bytes = try TransferOrder.found(TransferAddresses(question: 1, addresses: addresses)).encoded()
        #expect(throws: DecodingFailure.self) { try TransferOrder(decoding: bytes) }
    }

    @Test(
        arguments: [
            ("", 80, 0), ("EXAMPLE.org", 80, 0), ("example.org.", 80, 0), ("a b", 80, 0), ("ä", 80, 0), ("a", 0, 0),
            ("a", 80, 6), (String(repeating: "a", count: 256), 80, 0), ("-a.example", 80, 0),
        ] as [(String, UInt16, UInt8)])
    func `a question has a name in one form and a port`(_ host: String, _ port: UInt16, _ redirects: UInt8) throws {
        let question = TransferQuestion(question: 1, key: Self.key, host: host, port: port, redirects: redirects)
        let bytes = try TransferNews.lookUp(question).encoded()
        #expect(throws: DecodingFailure.self) { try TransferNews(decoding: bytes) }
    }

    @Test func `an end has an answer within its limits or an error`() throws {
        func end(_ answer: TransferAnswer?, _ retry: TransferRetry = .never) throws -> [UInt8] {
            try TransferNews.ended(
                TransferEnd(
                    key: Self.key, sent: 0, received: 0, answer: answer, error: nil, retry: retry, validator: nil)
            ).encoded()
        }
        let long = [UInt8](repeating: 65, count: (64 << 10) + 1)
        #expect(throws: DecodingFailure.self) { try TransferNews(decoding: try end(nil)) }
        for answer in [
            TransferAnswer(status: 99, headers: []), TransferAnswer(status: 200, headers: long),
            TransferAnswer(status: 200, headers: [], body: long),
        ] { #expect(throws: DecodingFailure.self) { try TransferNews(decoding: try end(answer)) } }
        let sound = TransferAnswer(status: 200, headers: [])
        #expect(throws: DecodingFailure.self) { try TransferNews(decoding: try end(sound, .after(604_801))) }
        #expect(try TransferNews(decoding: try end(sound, .after(604_800))).descriptors == 0)
    }

    @Test func `news state no number of bytes that no file can have`() throws {
        let (most, sound) = (UInt64(Int64.max) + 1, UInt64(Int64.max))
        func end(_ sent: UInt64, _ received: UInt64) -> TransferNews {
            .ended(
                TransferEnd(
                    key: Self.key, sent: sent, received: received, answer: nil, error: .busy, retry: .never,
                    validator: nil))
        }
        func progress(_ sent: UInt64, _ received: UInt64, _ expected: UInt64?) -> TransferNews {
            .progress(TransferProgress(key: Self.key, sent: sent, received: received, expected: expected))
        }
        func response(_ offset: UInt64, _ expected: UInt64?) -> TransferNews {
            .response(TransferResponse(key: Self.key, offset: offset, validator: nil, expected: expected))
        }
        for news in [
            end(most, 0), end(0, .max), progress(most, 0, nil), progress(0, .max, nil), progress(0, 0, most),
            response(most, nil), response(0, .max),
        ] {
            let bytes = try news.encoded()
            #expect(throws: DecodingFailure.self, "\(news)") { try TransferNews(decoding: bytes) }
        }
        for news in [end(sound, sound), progress(sound, sound, sound), response(sound, sound)] {
            #expect(try TransferNews(decoding: news.encoded()) == news)
        }
    }

    @Test func `a message is exactly one order and exactly one kind of work`() throws {
        #expect(throws: DecodingFailure.self) { try TransferOrder(decoding: []) }
        #expect(throws: DecodingFailure.self) { try TransferNews(decoding: []) }
        #expect(throws: DecodingFailure.self) { try TransferWork(decoding: []) }
        let two =
            try TransferOrder.stop(Self.key, .cancel).encoded()
            + TransferOrder.found(
                TransferAddresses(question: 1, addresses: ["::1"])
            ).encoded()
        #expect(throws: DecodingFailure.self) { try TransferOrder(decoding: two) }
        let form = TransferWork.form([TransferPart(name: "a", text: "")])
        let both = try TransferWork.upload(size: 1).encoded() + form.encoded()
        #expect(throws: DecodingFailure.self) { try TransferWork(decoding: both) }
    }

    private func fails(_ job: TransferJob) -> Bool {
        guard job.problem != nil, let bytes = try? TransferOrder.start(job).encoded() else { return job.problem != nil }
        return (try? TransferOrder(decoding: bytes)) == nil
    }
}
