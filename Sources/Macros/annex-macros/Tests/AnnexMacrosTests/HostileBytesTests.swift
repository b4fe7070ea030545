import AnnexMacros
import Testing

/// Tests bytes from an untrusted source. A message of the macro has a twin that is written by hand. From the same
/// bytes, both must decode the same value, or fail in the same way.
@Suite(.timeLimit(.minutes(20))) struct HostileBytesTests {
    @Test(arguments: RoundTripTests.kinds) func `random bytes give what they give to the twin`(
        kind: any HasSamples.Type
    ) {
        var samples = Samples(seed: 2)
        var verdicts = Verdicts()
        for _ in 0..<5000 {
            let bytes = Self.randomFields(&samples)
            verdicts.compare(kind, bytes: bytes)
            verdicts.compare(kind, bytes: samples.bytes(below: 40))
        }
        #expect(verdicts.failures > 1000)
    }

    @Test(arguments: RoundTripTests.kinds) func `damaged messages give what they give to the twin`(
        kind: any HasSamples.Type
    ) throws {
        var samples = Samples(seed: 3)
        var verdicts = Verdicts()
        for _ in 0..<5000 {
            var bytes = try kind.sample(&samples).encoded()
            Self.damage(&bytes, with: &samples)
            verdicts.compare(kind, bytes: bytes)
        }
        #expect(verdicts.values > 100 && verdicts.failures > 100)
    }

    @Test func `a limit that a message exceeds is the same failure as for the twin`() throws {
        var samples = Samples(seed: 4)
        var verdicts = Verdicts()
        for _ in 0..<2000 {
            let limits = MessageLimits(
                bytes: samples.count(below: 200), fields: samples.count(below: 12), depth: samples.count(below: 4))
            verdicts.compare(Tree.self, bytes: try Tree.sample(&samples).encoded(), within: limits)
            verdicts.compare(Fade.self, bytes: try Fade.sample(&samples).encoded(), within: limits)
        }
        #expect(verdicts.values > 100 && verdicts.failures > 100)
    }

    @Test func `a failure names the tag and the place`() {
        #expect(throws: DecodingFailure(offset: 0, tag: 2, reason: .missingField)) {
            try Frame(decoding: [1, 0, 4, 0, 0, 0, 1, 0, 0, 0])
        }
        #expect(throws: DecodingFailure(offset: 6, tag: 1, reason: .wrongSize(expected: 4))) {
            try Frame(decoding: [1, 0, 1, 0, 0, 0, 1])
        }
    }

    /// Fields in random order, with random contents. Each field has a tag of the message, or a tag close to such a
    /// tag.
    private static func randomFields(_ samples: inout Samples) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<samples.count(below: 9) {
            let contents = samples.bytes(below: 13)
            bytes += [samples.number(UInt8.self) % 10, 0, UInt8(contents.count), 0, 0, 0] + contents
        }
        return bytes
    }

    private static func damage(_ bytes: inout [UInt8], with samples: inout Samples) {
        guard !bytes.isEmpty else { return }
        let place = samples.count(below: bytes.count)
        switch samples.count(below: 4) {
        case 0: bytes[place] = samples.number()
        case 1: bytes.removeSubrange(place...)
        case 2: bytes += bytes[place...]
        default: bytes.insert(contentsOf: randomFields(&samples), at: place)
        }
    }
}

/// Counts how many messages were decoded, and how many failed.
private struct Verdicts {
    private(set) var values = 0
    private(set) var failures = 0

    /// Decodes bytes as a message and as its twin, and expects the same result.
    mutating func compare<Made: HasTwin>(_: Made.Type, bytes: [UInt8], within limits: MessageLimits = .standard) {
        let made = Self.decode(Made.self, from: bytes, within: limits)
        let wanted = Self.decode(Made.Twin.self, from: bytes, within: limits)
        switch (made, wanted) {
        case (.success(let value), .success(let twin)):
            values += 1
            // Two NaN values are never equal, so the bytes of the values are compared.
            #expect((try? value.encoded()) == (try? twin.encoded()), "\(bytes)")
        case (.failure(let failure), .failure(let other)):
            failures += 1
            #expect(failure == other, "\(bytes)")
        default:
            Issue.record("\(made) and \(wanted) of \(bytes)")
        }
    }

    private static func decode<Decoded: Message>(
        _: Decoded.Type, from bytes: [UInt8], within limits: MessageLimits
    ) -> Result<Decoded, DecodingFailure> {
        do throws(DecodingFailure) {
            return .success(try Decoded(decoding: bytes, within: limits))
        } catch {
            return .failure(error)
        }
    }
}
