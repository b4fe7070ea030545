import AnnexChannel
import Testing

@testable import AnnexModel

/// A report of progress comes from untrusted code.
@Suite(.timeLimit(.minutes(20))) struct ProgressTests {
    private func decode(_ fraction: Double, _ text: String?) throws(DecodingFailure) -> RequestProgress {
        var encoder = MessageEncoder()
        encoder.encode(UInt64(7), as: 1)
        encoder.encode(fraction, as: 2)
        encoder.encode(text, as: 3)
        return try ProgressMessage(decoding: (try? encoder.finish()) ?? []).progress
    }

    @Test(arguments: [0, 0.25, 1, -0.0]) func `a progress between 0 and 1 is accepted`(_ fraction: Double) throws {
        let text = String(repeating: "a", count: 256)
        #expect(try decode(fraction, text) == RequestProgress(fraction: fraction, text: text))
    }

    @Test(arguments: [Double.nan, .signalingNaN, -0.01, 1.01, .infinity, -.infinity, .greatestFiniteMagnitude])
    func `any other number is refused`(_ fraction: Double) {
        #expect(throws: DecodingFailure.self) { try decode(fraction, nil) }
    }

    @Test func `a text that is too long is refused`() {
        #expect(throws: DecodingFailure.self) { try decode(0.5, String(repeating: "a", count: 257)) }
    }

    @Test func `progress is shown in one escaped line`() {
        #expect("\(RequestProgress(fraction: 0.409, text: "a\u{1B}\n"))" == "40 %: a\\u{1b}\\n")
    }
}
