import AnnexChannel
import Testing

@Suite struct CodecTests {
    @Test func `every kind of field comes back`() throws {
        var sample = Sample()
        sample.late = 9
        #expect(try Sample(decoding: sample.encoded()) == sample)
    }

    @Test func `IPC-07: the wire form is tag, length and bytes in little endian`() throws {
        var encoder = MessageEncoder()
        encoder.encode(UInt32(0x0102_0304), as: 0x0506)
        #expect(try encoder.finish() == [6, 5, 4, 0, 0, 0, 4, 3, 2, 1])
    }

    @Test func `the fields of a newer writer are skipped`() throws {
        var encoder = MessageEncoder()
        Sample().encode(into: &encoder)
        encoder.encode("from the future", as: 900)
        #expect(try Sample(decoding: encoder.finish()) == Sample())
    }

    @Test func `a missing field is named or takes its default`() throws {
        let bytes: [UInt8] = []
        var decoder = try MessageDecoder(bytes.span.bytes)
        let text = try decoder.decode(3, default: "none")
        #expect(text == "none")
        #expect(throws: DecodingFailure(offset: 0, tag: 3, reason: .missingField)) {
            try read(bytes, 3, as: String.self)
        }
    }

    @Test func `a field that may appear once is refused twice`() throws {
        var encoder = MessageEncoder()
        encoder.encode(list: ["checked", "used"], as: 1)
        let bytes = try encoder.finish()
        #expect(throws: DecodingFailure(offset: 19, tag: 1, reason: .repeatedField)) {
            try read(bytes, 1, as: String.self)
        }
    }

    @Test func `a message that is cut anywhere is refused`() throws {
        var sample = Sample()
        sample.inner = []
        let bytes = try sample.encoded()
        for count in 0..<bytes.count {
            #expect(throws: DecodingFailure.self) { try Sample(decoding: Array(bytes[..<count])) }
        }
    }

    @Test func `BOMB-09: a length of four gigabytes is refused before anything is allocated`() {
        #expect(throws: DecodingFailure(offset: 0, tag: 1, reason: .truncated)) {
            try Sample(decoding: [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0])
        }
    }

    @Test func `BOMB-16: nesting beyond the limit is refused by both sides`() throws {
        let limits = MessageLimits(bytes: 1 << 20, fields: 1_000, depth: 80)
        let bytes = try Nest.deep(80).encoded(within: limits)
        _ = try Nest(decoding: bytes, within: limits)
        #expect(throws: EncodingFailure.tooDeep(limit: 64)) { try Nest.deep(65).encoded() }
        #expect(throws: DecodingFailure(offset: 390, tag: 1, reason: .tooDeep(limit: 64))) {
            _ = try Nest(decoding: bytes)
        }
    }

    @Test func `BOMB-16: the fields of nested messages count together`() throws {
        let limits = MessageLimits(bytes: 1 << 20, fields: 10, depth: 64)
        let three = Nest([Nest([]), Nest([]), Nest([])])
        let bytes = try Nest([three, three, three]).encoded()
        #expect(throws: DecodingFailure.self) { _ = try Nest(decoding: bytes, within: limits) }
        #expect(throws: EncodingFailure.tooManyFields(limit: 10)) {
            try Nest([three, three, three]).encoded(within: limits)
        }
    }

    @Test func `both sides refuse a message beyond the limit in bytes`() throws {
        let limits = MessageLimits(bytes: 16, fields: 10, depth: 1)
        #expect(throws: EncodingFailure.tooLong(limit: 16)) { try Sample().encoded(within: limits) }
        #expect(throws: DecodingFailure(offset: 0, reason: .tooLong(limit: 16))) {
            try Sample(decoding: [UInt8](repeating: 0, count: 17), within: limits)
        }
    }

    @Test func `IPC-09: invalid text, invalid truth values and wrong widths are refused`() throws {
        func field(_ bytes: [UInt8]) -> [UInt8] { [1, 0, UInt8(bytes.count), 0, 0, 0] + bytes }
        #expect(throws: DecodingFailure(offset: 6, tag: 1, reason: .notText)) {
            try read(field([0xC0, 0x80]), 1, as: String.self)
        }
        #expect(throws: DecodingFailure.self) { try read(field([2]), 1, as: Bool.self) }
        #expect(throws: DecodingFailure(offset: 6, tag: 1, reason: .wrongSize(expected: 8))) {
            try read(field([0, 0, 0]), 1, as: Int64.self)
        }
        #expect(try read(field([UInt8](repeating: 0xFF, count: 8)), 1, as: Double.self).isNaN)
        #expect(try read(field([0x61, 0, 0x62]), 1, as: String.self) == "a\0b")
    }

    @Test func `fields are found in any order of writing and of reading`() throws {
        for tags: [UInt16] in [[1, 2, 3], [3, 1, 2], [2, 2, 1, 3, 2], [1, 2, 2, 3], [7, 3, 2, 1]] {
            var encoder = MessageEncoder()
            for tag in tags { encoder.encode(UInt32(tag) * 10, as: tag) }
            let bytes = try encoder.finish()
            for order: [UInt16] in [[1, 2, 3], [3, 2, 1], [2, 1, 3], [3, 3, 1, 1]] {
                var decoder = try MessageDecoder(bytes.span.bytes)
                for tag in order {
                    let written = tags.count { $0 == tag }
                    let list = try decoder.decodeList(tag, of: UInt32.self)
                    #expect(list == [UInt32](repeating: UInt32(tag) * 10, count: written))
                    do throws(DecodingFailure) {
                        let value = try decoder.decodeIfPresent(tag, as: UInt32.self)
                        #expect(written < 2 && value == list.first)
                    } catch {
                        #expect(written > 1 && error.reason == .repeatedField)
                    }
                }
            }
        }
    }

    /// One field of a whole message.
    private func read<Value: FieldValue>(
        _ bytes: [UInt8], _ tag: UInt16, as _: Value.Type = Value.self
    ) throws(DecodingFailure) -> Value {
        var decoder = try MessageDecoder(bytes.span.bytes)
        return try decoder.decode(tag)
    }
}
