import AnnexTestSupport
import Testing

@testable import AnnexPolicy

/// Any text gives a policy or an error.
@Suite struct PolicyFuzzTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mangled policies end in errors or policies`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let texts = PolicyLibrary.shipped.names.compactMap { PolicyLibrary.shipped.text(named: $0) }
            .map { Array($0.utf8) }.sorted { $0.count < $1.count }
        var policies = 0
        for _ in 0..<60 {
            guard var bytes = texts.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...6, using: &random) { Self.mangle(&bytes, &random) }
            var library: [String: String] = [:]
            for name in PolicyLibrary.shipped.names { library[name] = PolicyLibrary.shipped.text(named: name) }
            library["compute"] = String(decoding: bytes, as: UTF8.self).replacing(
                "policy: base", with: "policy: compute")
            if let policy = try? PolicyLibrary(texts: library).policy(named: "compute") {
                policies += 1
                _ = policy.verdict(number: .random(in: 0...500, using: &random), arguments: [1, 2, 3])
            }
        }
        #expect(policies < 60)
    }

    private static func mangle(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<end)
        case 2: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<bytes.count, using: &random))
        case 3: bytes.insert("&*{}[]:,-#|>!%@`\"'\n\t?~".utf8.randomElement(using: &random) ?? 0, at: place)
        default: bytes.insert(contentsOf: "99999999999999999999".utf8, at: place)
        }
    }
}
