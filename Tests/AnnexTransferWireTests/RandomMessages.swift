import AnnexTestSupport
import AnnexTransferWire

/// Sound messages of all kinds, chosen by a seed.
struct RandomMessages {
    var random: SeededRandom

    mutating func order() -> TransferOrder {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: .start(job())
        case 2: .stop(key(), TransferStop.allCases.randomElement(using: &random) ?? .cancel)
        default: .found(addresses())
        }
    }

    mutating func news() -> TransferNews {
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            .lookUp(
                TransferQuestion(
                    question: number(), key: key(), host: "h" + text(19, of: "abcxyz019-._") + "t", port: 443,
                    redirects: 5))
        case 1: .progress(TransferProgress(key: key(), sent: size(), received: size(), expected: maybe(size())))
        case 2:
            .response(TransferResponse(key: key(), offset: size(), validator: validator(), expected: maybe(size())))
        default: .ended(end())
        }
    }

    mutating func job() -> TransferJob {
        let isDownload = Bool.random(using: &random)
        let headers = (0..<Int.random(in: 0...64, using: &random)).map { _ in
            TransferHeader(name: "X-" + text(20, of: "abz09-_"), value: text(200, of: "az ,;=\"é\t"))
        }
        return TransferJob(
            key: key(), method: isDownload ? .get : [.post, .put, .patch].randomElement(using: &random) ?? .put,
            url: "https://" + text(300, of: "abc./?&=%20~"), headers: headers,
            patience: TransferPatience(connecting: 1, idle: 60, whole: TransferLimits.longestSeconds),
            isDiscretionary: Bool.random(using: &random), work: isDownload ? download() : body())
    }

    mutating func download() -> TransferWork {
        let size = size()
        return .download(TransferDownload(offset: size / 2, validator: validator(), mostBytes: size))
    }

    mutating func body() -> TransferWork {
        guard Bool.random(using: &random) else { return .upload(size: number() >> 1) }
        var parts = (0..<Int.random(in: 0..<48, using: &random)).map { _ in
            TransferPart(name: text(60, of: "abü[]"), text: text(1000, of: "héllo\r\n\0"), type: maybe("text/plain"))
        }
        for _ in 0...Int.random(in: 0..<16, using: &random) {
            parts.append(
                TransferPart(
                    name: text(60, of: "ab"), fileName: maybe("ä \"b\".jpg"), type: maybe("image/jpeg"),
                    size: number() >> 6))
        }
        return .form(parts.shuffled(using: &random))
    }

    mutating func addresses() -> TransferAddresses {
        guard Bool.random(using: &random) else {
            return TransferAddresses(question: number(), error: TransferError.allCases.randomElement() ?? .busy)
        }
        let count = Int.random(in: 1...16, using: &random)
        return TransferAddresses(question: number(), addresses: (0..<count).map { "2001:db8::\($0):192.0.2.1" })
    }

    mutating func end() -> TransferEnd {
        let answer = TransferAnswer(
            status: UInt16.random(in: 100...999, using: &random), headers: bytes(TransferLimits.answerHeaders),
            headersWereCut: Bool.random(using: &random), body: bytes(TransferLimits.answerBody),
            bodyWasCut: Bool.random(using: &random))
        let error = TransferError.allCases.randomElement(using: &random)
        let hasAnswer = Bool.random(using: &random)
        return TransferEnd(
            key: key(), sent: size(), received: size(), answer: hasAnswer ? answer : nil,
            error: hasAnswer ? nil : error,
            retry: [.never, .later, .after(number32() % 1000)].randomElement(using: &random) ?? .never,
            validator: validator())
    }

    mutating func validator() -> TransferValidator? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .entityTag("\"" + text(100, of: "abc123 -/") + "\"")
        case 1: .lastModified("Tue, 01 Dec 2026 08:00:00 GMT")
        default: nil
        }
    }

    mutating func key() -> TransferKey { TransferKey(task: number(), attempt: number32()) }

    mutating func number() -> UInt64 { UInt64.random(in: 0...UInt64.max, using: &random) }

    /// A number of bytes that a file can have.
    mutating func size() -> UInt64 { number() & (UInt64.max >> 1) }

    mutating func number32() -> UInt32 { UInt32.random(in: 0...UInt32.max, using: &random) }

    mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }

    /// One to `most` characters, of which the last is a letter.
    mutating func text(_ most: Int, of letters: String) -> String {
        let count = Int.random(in: 0..<most, using: &random)
        return String((0..<count).compactMap { _ in letters.randomElement(using: &random) }) + "a"
    }

    mutating func bytes(_ most: Int) -> [UInt8] {
        (0..<Int.random(in: 0...most, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
    }
}
