import AnnexChannel
import AnnexModel
import AnnexTestSupport
import Testing

/// Any bytes give a value or a failure. If a value is decoded, encoded and decoded again, the result is the same value.
@Suite(.timeLimit(.minutes(20))) struct CodecFuzzTests {
    @Test func `IPC-09: changed messages never trap and read the same twice`() throws {
        let seed = SeededRandom.fresh()
        print("seed: ANNEX_SEED=\(seed)")
        var generator = SeededRandom(seed: seed)
        let seeds = [try Sample().encoded(), try deepValue.encoded(), try Nest.deep(60).encoded()]
        var read = 0
        for _ in 0..<20_000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &generator)]
            change(&bytes, using: &generator)
            read += try readsTheSame(Sample.self, bytes) + readsTheSame(ItemValue.self, bytes)
            _ = try? RequestMessage(decoding: bytes).inputItems(with: ContentsList())
            _ = try? ReplyMessage(decoding: bytes).result(with: ContentsList())
        }
        #expect(read > 500, "the changes are too wild to reach the values; seed \(seed)")
    }

    @Test func `IPC-09: random bytes never trap`() {
        let seed = SeededRandom.fresh()
        print("seed: ANNEX_SEED=\(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<64, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0..<8, using: &generator) }
            _ = try? Sample(decoding: bytes)
            _ = try? ItemValue(decoding: bytes)
            _ = Escaped(bytes, limit: 40)
        }
    }

    private let deepValue: ItemValue = [
        "edit": "sepia", "strength": 0.5, "times": 3, "list": [true, ["deeper": [1, "two", .data([3])]]],
    ]

    private func readsTheSame<Value: Message & Equatable>(_: Value.Type, _ bytes: [UInt8]) throws -> Int {
        guard let value = try? Value(decoding: bytes) else { return 0 }
        let again = try Value(decoding: value.encoded())
        // NaN differs from itself, so the bytes are compared if the values are not equal.
        #expect(try again == value || again.encoded() == value.encoded())
        return 1
    }

    private func change(_ bytes: inout [UInt8], using generator: inout SeededRandom) {
        for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch UInt8.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.removeSubrange(place...)
            case 3: bytes.insert(UInt8.random(in: 0...8, using: &generator), at: place)
            default: bytes.append(contentsOf: bytes[place...])
            }
        }
    }
}
