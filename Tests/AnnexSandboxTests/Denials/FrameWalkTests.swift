import Testing

@testable import AnnexLaunch

@Suite struct FrameWalkTests {
    private static let base: UInt64 = 0x7FFE_0000
    private static let code: Range<UInt64> = 0x40_0000..<0x50_0000

    private static func walk(_ words: [UInt64], at instruction: UInt64 = 0x40_0001, frame: UInt64? = nil) -> [UInt64] {
        let stack = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return FrameWalk.addresses(
            stack: stack, base: base, instruction: instruction, frame: frame, isCode: { code.contains($0) })
    }

    private static func at(_ word: Int) -> UInt64 { base + UInt64(word) * 8 }

    @Test func `a walk follows saved frame pointers`() {
        // The stack begins with arbitrary words. The frame at word 2 leads to word 5, and from there to the end at word
        // 8.
        let found = Self.walk([7, 8, Self.at(5), 0x40_1000, 9, Self.at(8), 0x40_2000, 9, 0, 0x40_3000])
        #expect(found == [0x40_0001, 0x40_1000, 0x40_2000, 0x40_3000])
    }

    #if arch(x86_64)
        @Test func `the caller of a leaf function is the first word of the stack`() {
            let found = Self.walk([0x40_0500, 3, Self.at(5), 0x40_1000, 9, 0, 0x40_2000])
            #expect(found == [0x40_0001, 0x40_0500, 0x40_1000, 0x40_2000])
        }
    #endif

    @Test func `a walk guesses nothing if the frame is known`() {
        // The words below the frame look like a frame.
        let words = [0x40_0500, Self.at(3), 0x40_0600, Self.at(5), 0x40_1000, 0, 0x40_2000]
        #expect(Self.walk(words, frame: Self.at(3)) == [0x40_0001, 0x40_1000, 0x40_2000])
        // A jump to an invalid address has left the address of its origin on the stack.
        #expect(Self.walk(words, at: 0, frame: Self.at(3)) == [0, 0x40_0500, 0x40_1000, 0x40_2000])
        #expect(Self.walk([7], at: 0, frame: Self.at(0)) == [0])
        for nowhere in [0, Self.base - 8, Self.at(6) + 1, Self.at(7), .max - 7, .max] {
            #expect(Self.walk(words, frame: nowhere) == [0x40_0001], "\(nowhere)")
        }
    }

    @Test func `DEPUTY-07: a chain that leads back, nowhere or round ends`() {
        #expect(Self.walk([]) == [0x40_0001])
        #expect(Self.walk([Self.at(0), 0x40_1000]).count <= 2)
        #expect(Self.walk([Self.at(2), 0x40_1000, Self.at(0), 0x40_2000]).count <= 3)
        #expect(Self.walk([.max, 0x40_1000, .max - 7, 0x40_2000]).count <= 2)
        #expect(Self.walk([Self.at(1) + 1, 0x40_1000, 5, 5]).count <= 2)
        #expect(Self.walk([Self.at(100), 0x40_1000]).count <= 2)
    }

    @Test func `DEPUTY-07: a walk ends after a fixed number of frames`() {
        let words = (0..<1_000).flatMap { [Self.at(2 * $0 + 2), 0x40_1000 + UInt64($0)] }
        #expect(Self.walk(words).count == FrameWalk.most)
    }
}
