@testable import AnnexChannel

/// A complete endpoint of a host. The fuzzer chooses the peer's region, its control messages and their moments. With
/// any input, every stream, every call of the host and every call of the peer ends exactly once, and no part of the
/// channel is left.
enum FuzzReceiver {
    private static let bench: Bench = {
        do { return try Bench() } catch { fatalError("no bench: \(error)") }
    }()

    static func main() {
        Fuzzer.run { start, count in
            do {
                try Round.run(Fuzzer.bytes(start, count), on: FuzzReceiver.bench)
            } catch {
                Fuzzer.expect(false, "no channel: \(error)")
            }
            return 0
        }
    }
}

/// A typed request.
struct Word: ChannelRequest {
    static let method: UInt16 = 2
    typealias Response = Word

    var number: UInt32
    var text: String

    init(number: UInt32, text: String) {
        self.number = number
        self.text = text
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(number, as: 1)
        encoder.encode(text, as: 2)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        number = try decoder.decode(1)
        text = try decoder.decode(2)
    }
}
