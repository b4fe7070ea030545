import AnnexMessages
import AnnexTestSupport
import AnnexTransferWire
import Testing

/// The messages between broker and agent survive their encoding, and no bytes do more than fail.
@Suite(.timeLimit(.minutes(20))) struct TransferCodecTests {
    @Test func `every sound message reads as it was written`() throws {
        let seed = SeededRandom.fresh()
        var messages = RandomMessages(random: SeededRandom(seed: seed))
        for _ in 0..<500 {
            let (order, news) = (messages.order(), messages.news())
            let written = try order.encoded(within: TransferLimits.message)
            #expect(try TransferOrder(decoding: written, within: TransferLimits.message) == order, "SEED \(seed)")
            let said = try news.encoded(within: TransferLimits.message)
            #expect(try TransferNews(decoding: said, within: TransferLimits.message) == news, "SEED \(seed)")
        }
    }

    @Test func `a message that was changed or cut is another sound message or a failure`() throws {
        let seed = SeededRandom.fresh()
        var messages = RandomMessages(random: SeededRandom(seed: seed))
        for _ in 0..<300 {
            let order = try messages.order().encoded(within: TransferLimits.message)
            let news = try messages.news().encoded(within: TransferLimits.message)
            for _ in 0..<20 {
                let changed = Self.changed(order, &messages.random)
                if case .start(let job)? = try? TransferOrder(decoding: changed, within: TransferLimits.message) {
                    #expect(job.problem == nil, "SEED \(seed)")
                }
                let said = try? TransferNews(
                    decoding: Self.changed(news, &messages.random), within: TransferLimits.message)
                let again = try said?.encoded(within: TransferLimits.message)
                #expect(try again.map { try TransferNews(decoding: $0, within: TransferLimits.message) } == said)
            }
        }
    }

    @Test func `a message with every part at its limit can be sent`() throws {
        let key = TransferKey(task: .max, attempt: .max)
        let answer = TransferAnswer(
            status: 200, headers: [UInt8](repeating: 65, count: TransferLimits.answerHeaders),
            body: [UInt8](repeating: 66, count: TransferLimits.answerBody))
        let end = TransferNews.ended(
            TransferEnd(
                key: key, sent: UInt64(Int64.max), received: UInt64(Int64.max), answer: answer, error: nil,
                retry: .never, validator: nil))
        #expect(try end.encoded(within: TransferLimits.message).count < TransferLimits.message.bytes)

        let header = TransferHeader(name: "X-A", value: String(repeating: "v", count: 249))
        let label = String(repeating: "n", count: TransferLimits.partName)
        let texts = (0..<48).map { _ in
            TransferPart(name: label, text: String(repeating: "t", count: 1365), type: label)
        }
        let files = (0..<TransferLimits.files).map { _ in
            TransferPart(name: label, fileName: label, type: label, size: 1)
        }
        let job = TransferJob(
            key: key, method: .post, url: "http://" + String(repeating: "u", count: TransferLimits.url - 7),
            headers: [TransferHeader](repeating: header, count: TransferLimits.headers), work: .form(texts + files))
        #expect(job.problem == nil)
        let order = TransferOrder.start(job)
        let written = try order.encoded(within: TransferLimits.message)
        #expect(try TransferOrder(decoding: written, within: TransferLimits.message) == order)
    }

    private static func changed(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        if Bool.random(using: &random) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard let place = bytes.indices.randomElement(using: &random) else { break }
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }
}
