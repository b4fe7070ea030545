import AnnexMacros
import Testing

/// Compares messages that the macro makes with their twins, the same messages written by hand.
@Suite(.timeLimit(.minutes(20))) struct RoundTripTests {
    /// The messages that have a twin and random values.
    static let kinds: [any HasSamples.Type] = [
        Frame.self, Fade.self, Tree.self, Numbers.self, Page<String>.self,
    ]

    @Test(arguments: kinds) func `a message has the bytes of its twin and comes back whole`(
        kind: any HasSamples.Type
    ) throws {
        var samples = Samples(seed: 1)
        for _ in 0..<2000 { try Self.check(kind.sample(&samples)) }
    }

    private static func check<Made: HasTwin>(_ value: Made) throws {
        let bytes = try value.encoded()
        #expect(try bytes == value.twin.encoded())
        #expect(try Made(decoding: bytes) == value)
        #expect(try Made.Twin(decoding: bytes) == value.twin)
    }

    @Test func `the bytes of a message are those of the wire format`() throws {
        let fade = Fade(level: 258, frames: [Frame(at: 1, image: [9])], decoder: [])
        #expect(
            try fade.encoded() == [
                1, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0,
                3, 0, 17, 0, 0, 0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 9,
                4, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
                9, 0, 4, 0, 0, 0, 110, 111, 110, 101,
                0xF4, 1, 1, 0, 0, 0, 1,
            ])
    }

    @Test func `a field that is absent leaves the default, nil or an empty list`() throws {
        let fade = try Fade(decoding: [1, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0])
        #expect(fade == Fade(level: 258, frames: [], decoder: []))
        #expect(fade.speed == 1 && fade.ease == .smooth && fade.encoder == "none")
        #expect(fade.name == nil && fade.key == nil && fade.default == nil)
    }

    @Test func `a field with an unknown tag is skipped`() throws {
        let known = Frame(at: 5, image: [1])
        let newer: [UInt8] = [3, 0, 2, 0, 0, 0, 7, 7]
        #expect(try Frame(decoding: newer + known.encoded()) == known)
        #expect(try Frame(decoding: known.encoded() + newer) == known)
        let page = try Page(first: known, others: [known]).encoded()
        #expect(try Page<Frame>(decoding: page + newer).others == [known])
    }

    @Test func `a request and a notice keep their own methods and responses`() throws {
        #expect(Count.method == 10 && Count.Response.self == Counted.self && Progress.method == 11)
        #expect(try Count(decoding: Count(word: "a").encoded()).word == "a")
        #expect(try Progress(decoding: Progress(done: 3).encoded()).done == 3)
        #expect(try Counted(decoding: Counted(times: 3).encoded()) == Counted(times: 3))
    }

    @Test func `messages of every level of access are messages`() throws {
        #expect(try Outer.bytesOfHidden() == [1, 0, 0, 0, 0, 0])
        #expect(try Outer.Shown(decoding: [1, 0, 1, 0, 0, 0, 97]).text == "a")
    }
}
