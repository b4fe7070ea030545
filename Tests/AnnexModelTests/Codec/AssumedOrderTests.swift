import AnnexChannel
import AnnexTestSupport
import Testing

/// A message is first decoded under the assumption that its tags rise. The assumption never changes the result. A
/// decoder that first checks every field gives the same value or the same failure.
@Suite(.timeLimit(.minutes(20))) struct AssumedOrderTests {
    @Test func `any fields in any order decode as if all were checked first`() throws {
        let seed = SeededRandom.fresh()
        print("seed: ANNEX_SEED=\(seed)")
        var generator = SeededRandom(seed: seed)
        var (values, failures) = (0, 0)
        for _ in 0..<30_000 {
            var bytes = fields(3, using: &generator)
            if Bool.random(using: &generator), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0..<9, using: &generator)
            }
            let limits = MessageLimits(
                bytes: Int.random(in: 40...400, using: &generator), fields: Int.random(in: 3...40, using: &generator),
                depth: Int.random(in: 0...3, using: &generator))
            for result in [
                compare(Sample.self, bytes, limits), compare(Strict.self, bytes, limits),
                compare(Lenient.self, bytes, limits),
            ] {
                if result { values += 1 } else { failures += 1 }
            }
        }
        #expect(values > 1_000 && failures > 1_000, "seed \(seed)")
    }

    @Test func `a field after the last that was decoded is still checked`() throws {
        let whole = try Strict(first: 1, second: 2, inner: nil).encoded()
        #expect(throws: DecodingFailure(offset: 24, tag: nil, reason: .truncated)) {
            _ = try Strict(decoding: whole + [9])
        }
        let again: [UInt8] = [1, 0, 4, 0, 0, 0, 1, 0, 0, 0]
        #expect(throws: DecodingFailure(offset: 30, tag: 1, reason: .repeatedField)) {
            _ = try Strict(decoding: whole + again)
        }
    }

    /// - Returns: whether the bytes gave a value.
    private func compare<Value: Message>(_: Value.Type, _ bytes: [UInt8], _ limits: MessageLimits) -> Bool {
        let quick = Result { () throws(DecodingFailure) in try Value(decoding: bytes, within: limits) }
        let checked = Result { () throws(DecodingFailure) in
            var decoder = try MessageDecoder(bytes.span.bytes, limits: limits)
            return try Value(from: &decoder)
        }
        switch (quick, checked) {
        case (.success(let one), .success(let other)):
            // Values are compared by their bytes, because NaN differs from itself.
            #expect((try? one.encoded()) == (try? other.encoded()), "\(bytes)")
            return true
        case (.failure(let one), .failure(let other)): #expect(one == other, "\(bytes)")
        default: Issue.record("\(bytes): \(quick) instead of \(checked)")
        }
        return false
    }

    /// Random fields. Most have rising tags, most have a width that a decoder asks for, and some contain other fields.
    private func fields(_ levels: Int, using generator: inout SeededRandom) -> [UInt8] {
        var fields: [[UInt8]] = []
        var tag: UInt8 = 1
        for _ in 0..<Int.random(in: 0...7, using: &generator) {
            let isMessage = levels > 0 && (3...4).contains(tag)
            let content = isMessage ? self.fields(levels - 1, using: &generator) : number(tag, using: &generator)
            fields.append(
                [tag, 0, UInt8(truncatingIfNeeded: content.count), UInt8(content.count >> 8), 0, 0] + content)
            tag += UInt8([1, 1, 1, 0, 2].randomElement(using: &generator) ?? 1)
        }
        if UInt8.random(in: 0..<4, using: &generator) == 0 { fields.shuffle(using: &generator) }
        return fields.flatMap { $0 }
    }

    private func number(_ tag: UInt8, using generator: inout SeededRandom) -> [UInt8] {
        let widths = tag == 1 ? [1, 4] : tag == 2 ? [8] : [1, 4, 8, 0]
        return (0..<(widths.randomElement(using: &generator) ?? 0)).map { _ in
            UInt8.random(in: 0..<3, using: &generator)
        }
    }
}

/// A message that requires its first fields.
private struct Strict: Message {
    let first: UInt32
    let second: UInt64
    let inner: Lenient?

    init(first: UInt32, second: UInt64, inner: Lenient?) {
        (self.first, self.second, self.inner) = (first, second, inner)
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(first, as: 1)
        encoder.encode(second, as: 2)
        encoder.encode(inner, as: 3)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        first = try decoder.decode(1)
        second = try decoder.decode(2)
        inner = try decoder.decodeIfPresent(3)
    }
}

/// A message whose decoding continues after a failure, within other messages and beside them.
private struct Lenient: Message {
    let byte: UInt8?
    let holder: Holder?
    let strict: Indirect?
    let texts: [String]

    /// Stores a message behind a reference, so that the message can contain itself.
    final class Indirect: Sendable {
        let value: Strict
        init(_ value: Strict) { self.value = value }
    }

    /// A field value whose decoding continues after a failure of the message in it.
    struct Holder: FieldValue {
        let value: UInt32

        func write(to encoder: inout MessageEncoder) { encoder.append(value) }

        init(reading field: inout FieldReader) throws(DecodingFailure) {
            let size = UInt32(field.count)
            value = (try? field.message(Lenient.self))?.byte.map(UInt32.init) ?? size
        }
    }

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(byte, as: 1)
        encoder.encode(holder, as: 3)
        encoder.encode(strict?.value, as: 4)
        encoder.encode(list: texts, as: 5)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        byte = try? decoder.decode(1)
        holder = try? decoder.decode(3)
        strict = (try? decoder.decode(4)).map(Indirect.init)
        texts = (try? decoder.decodeList(5)) ?? []
    }
}
