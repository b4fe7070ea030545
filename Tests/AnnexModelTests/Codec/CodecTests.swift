import AnnexChannel
import Testing

@Suite struct CodecTests {
    @Test func everyKindOfFieldComesBack() throws {
        var sample = Sample()
        sample.late = 9
        #expect(try Sample(decoding: sample.encoded()) == sample)
    }

    @Test func theWireFormIsTagLengthBytesInLittleEndian() throws {
        var encoder = MessageEncoder()
        encoder.encode(UInt32(0x0102_0304), as: 0x0506)
        #expect(try encoder.finish() == [6, 5, 4, 0, 0, 0, 4, 3, 2, 1])
    }

    @Test func aNewerWritersFieldsAreSkipped() throws {
        var encoder = MessageEncoder()
        Sample().encode(into: &encoder)
        encoder.encode("from the future", as: 900)
        #expect(try Sample(decoding: encoder.finish()) == Sample())
    }

    @Test func aMissingFieldIsNamedOrTakesItsDefault() throws {
        var decoder = try MessageDecoder([])
        #expect(try decoder.decode(3, default: "none") == "none")
        #expect(throws: DecodingFailure(offset: 0, tag: 3, reason: .missingField)) {
            let _: String = try decoder.decode(3)
        }
    }

    @Test func aFieldThatMayAppearOnceIsRefusedTwice() throws {
        var encoder = MessageEncoder()
        encoder.encode(list: ["checked", "used"], as: 1)
        var decoder = try MessageDecoder(encoder.finish())
        #expect(throws: DecodingFailure(offset: 19, tag: 1, reason: .repeatedField)) {
            let _: String = try decoder.decode(1)
        }
    }

    @Test func aMessageCutInsideAFieldOrBeforeAFieldThatMustBeThereIsRefused() throws {
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

    @Test func aMessageBeyondTheLimitInBytesIsRefusedByBothSides() throws {
        let limits = MessageLimits(bytes: 16, fields: 10, depth: 1)
        #expect(throws: EncodingFailure.tooLong(limit: 16)) { try Sample().encoded(within: limits) }
        #expect(throws: DecodingFailure(offset: 0, reason: .tooLong(limit: 16))) {
            try Sample(decoding: [UInt8](repeating: 0, count: 17), within: limits)
        }
    }

    @Test func `IPC-09: bad text odd truths and wrong widths are refused`() throws {
        func field(_ tag: UInt8, _ bytes: [UInt8]) throws -> MessageDecoder {
            try MessageDecoder([tag, 0, UInt8(bytes.count), 0, 0, 0] + bytes)
        }
        var overlong = try field(1, [0xC0, 0x80])
        #expect(throws: DecodingFailure(offset: 6, tag: 1, reason: .notText)) {
            try overlong.decode(1, as: String.self)
        }
        var truth = try field(1, [2])
        #expect(throws: DecodingFailure.self) { try truth.decode(1, as: Bool.self) }
        var wide = try field(1, [0, 0, 0])
        #expect(throws: DecodingFailure(offset: 6, tag: 1, reason: .wrongSize(expected: 8))) {
            try wide.decode(1, as: Int64.self)
        }
        var notANumber = try field(1, [UInt8](repeating: 0xFF, count: 8))
        #expect(try notANumber.decode(1, as: Double.self).isNaN)
        var zero = try field(1, [0x61, 0, 0x62])
        #expect(try zero.decode(1, as: String.self) == "a\0b")
    }
}
