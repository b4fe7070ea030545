import AnnexSigning
import AnnexTestSupport
import Foundation
import Testing

/// The file of a seal, as an attacker may write it.
@Suite(.timeLimit(.minutes(20))) struct SealTests {
    /// Makes one random change: it changes a byte, adds a piece, removes a piece, or changes the end.
    private func mutate(_ bytes: [UInt8], with random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
            let count = min(Int.random(in: 1...40, using: &random), bytes.count - place)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: if place < bytes.count { bytes[place] = .random(in: 0...255, using: &random) }
            case 1: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
            case 2: bytes.removeSubrange(place..<(place + count))
            case 3: bytes.insert(contentsOf: bytes[place..<(place + count)], at: place)
            default: bytes = Array(bytes.prefix(place))
            }
        }
        return bytes
    }

    @Test func `P8: no change of a signed seal is ever accepted`() throws {
        let test = try SigningFixture()
        try test.sign()
        let bytes = try test.seal()
        #expect(SealFile(verifying: bytes)?.bytes == bytes)
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<3_000 {
            let changed = mutate(bytes, with: &random)
            #expect(changed == bytes || SealFile(verifying: changed) == nil, "ANNEX_SEED=\(seed)")
        }
        for count in bytes.indices { #expect(SealFile(verifying: Array(bytes.prefix(count))) == nil) }
    }

    @Test func `P8: a seal has one spelling only`() throws {
        let test = try SigningFixture()
        let seal = try test.check().seal
        let bytes = seal.encoded
        #expect(Seal(bytes[...]) == seal)
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let changed = mutate(bytes, with: &random)
            guard let read = Seal(changed[...]) else { continue }
            #expect(read.encoded == changed, "ANNEX_SEED=\(seed)")
        }
        for count in bytes.indices { #expect(Seal(bytes.prefix(count)) == nil) }
    }

    @Test func `P8: garbage in place of a seal is refused`() throws {
        let test = try SigningFixture()
        mkdir("\(test.path)/_CodeSignature", 0o755)
        for bytes in [
            [], Array("annex-seal 1\n".utf8), Array("annex-seal 2\n".utf8), [UInt8](repeating: 0, count: 4096),
        ] {
            try test.putSeal(bytes)
            #expect(try test.rejection().code == .damagedSeal)
        }
        var random = SystemRandomNumberGenerator()
        try test.putSeal((0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        #expect(try test.rejection().code == .damagedSeal)
    }

    @Test func `P8: another key, name or signature in the seal is refused`() throws {
        let test = try SigningFixture()
        try test.sign()
        let ours = try test.seal()
        try test.sign(by: "theirs")
        let theirs = try test.seal()
        let (key, signature, name) = (13..<45, 45..<109, 110..<119)
        #expect(String(decoding: ours[name], as: UTF8.self) == "Team ours")
        for part in [key, signature] {
            var mixed = ours
            mixed.replaceSubrange(part, with: theirs[part])
            #expect(SealFile(verifying: mixed) == nil)
        }
        var renamed = ours
        renamed.replaceSubrange(name, with: Array("Team else".utf8))
        #expect(SealFile(verifying: renamed) == nil)
        var both = ours
        both.replaceSubrange(key.lowerBound..<signature.upperBound, with: theirs[key.lowerBound..<signature.upperBound])
        #expect(SealFile(verifying: both) == nil)
    }
}
