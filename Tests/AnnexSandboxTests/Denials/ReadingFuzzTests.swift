import AnnexTestSupport
import Testing

@testable import AnnexLaunch

/// For any bytes, the reader returns a value or nil.
@Suite struct ReadingFuzzTests {
    private static let samples: [[UInt8]] = [
        "00400000-00452000 r-xp 00001000 08:02 173521 /usr/bin/a\n7f00-7f10 rw-p 0 0:0 0 [stack]\n",
        "41 0x2 0x1 0x0 0x0 0x0 0x0 0x7ffe10 0x401136\n", "Name:\tx\nUmask:\t0022\nTgid:\t77\n",
        "$s10AnnexModel0B5ErrorV4textSSvg", "$sSS4mainE3fooyyF",
    ].map { Array($0.utf8) }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `DEPUTY-07: every reader of hostile text ends for any bytes`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<3_000 {
            var bytes = Self.samples.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 0...8, using: &random) { Self.mangle(&bytes, &random) }
            for area in MemoryArea.read(bytes) { #expect(area.start < area.end) }
            _ = StoppedThread.read(bytes)
            _ = ProcessStatus.read(bytes)
            #expect(SymbolName.readable(bytes).count <= max(bytes.count, SymbolName.limit))
            _ = NamedPath.socketPath(bytes)
            let base = UInt64.random(in: 0...UInt64.max, using: &random)
            let frames = FrameWalk.addresses(stack: bytes, base: base, instruction: 0) { $0 & 1 == 0 }
            #expect(frames.count <= FrameWalk.most + 1)
            let faulted = FrameWalk.addresses(stack: bytes, base: base, instruction: 0, frame: base &+ 8) {
                $0 & 1 == 0
            }
            #expect(faulted.count <= FrameWalk.most + 1)
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `DEPUTY-07: a walk over any stack ends`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let base: UInt64 = 0x7FFE_0000_0000
        for _ in 0..<200 {
            let stack = (0..<512).flatMap { _ in
                let word: UInt64 =
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: base + UInt64.random(in: 0..<4096, using: &random)
                    case 1: 0x40_0000 + UInt64.random(in: 0..<0x1000, using: &random)
                    case 2: .max - UInt64.random(in: 0..<64, using: &random)
                    default: .random(in: 0...UInt64.max, using: &random)
                    }
                return (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
            }
            let frames = FrameWalk.addresses(stack: stack, base: base, instruction: 1) { $0 >> 12 == 0x400 }
            #expect(frames.count <= FrameWalk.most + 1)
        }
    }

    private static func mangle(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return bytes.append(0) }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = .random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
        default: bytes.insert("0123456789abcdefx-: \n\0$sSA".utf8.randomElement(using: &random) ?? 0, at: place)
        }
    }
}
