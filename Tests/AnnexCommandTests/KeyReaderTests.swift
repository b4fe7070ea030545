import AnnexTestSupport
import Testing

@testable import AnnexCommand

/// Converts the bytes of a terminal to keys.
@Suite(.timeLimit(.minutes(20))) struct KeyReaderTests {
    private func keys(_ text: String) -> [Key] {
        var reader = KeyReader()
        let keys = reader.keys(of: Array(text.utf8))
        return keys + (reader.giveUp().map { [$0] } ?? [])
    }

    @Test(
        arguments: [
            ("q", [.character("q")]), ("\r", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]),
            ("\u{3}", [.interrupt]),
            ("\u{1A}", [.suspend]), ("\u{1B}", [.escape]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]),
            ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]),
            ("\u{1B}[1;5C", [.right]), ("12", [.character("1"), .character("2")]), ("é", []), ("\u{1}", []),
            ("\u{1B}[<0;5;3M", [.click(column: 4, row: 2)]), ("\u{1B}[<0;5;3m", []), ("\u{1B}[<64;1;1M", [.wheelUp]),
            ("\u{1B}[<65;1;1M", [.wheelDown]), ("\u{1B}[<2;1;1M", []), ("\u{1B}[<0;0;1M", []), ("\u{1B}[<0;1M", []),
            ("\u{1B}[<99999999999999999999;1;1M", []), ("\u{1B}[<0;1;9223372036854775807M", []),
            ("\u{1B}xq", [.character("q")]),
        ] as [(String, [Key])])
    func `bytes of a terminal are keys`(text: String, expected: [Key]) {
        #expect(keys(text) == expected)
    }

    @Test func `a sequence may come in two parts`() {
        var reader = KeyReader()
        #expect(reader.keys(of: Array("\u{1B}[<0;1".utf8)) == [])
        #expect(reader.keys(of: Array("2;3Mq".utf8)) == [.click(column: 11, row: 2), .character("q")])
    }

    @Test func `an escape is the key if nothing follows it for a while, and else begins a sequence`() {
        var reader = KeyReader()
        #expect(reader.keys(of: [0x1B]) == [] && reader.isWaiting)
        #expect(reader.keys(of: Array("[A".utf8)) == [.up] && !reader.isWaiting)
        #expect(reader.keys(of: [0x1B]) == [] && reader.giveUp() == .escape && !reader.isWaiting)
        #expect(reader.keys(of: Array("\u{1B}[".utf8)) == [] && reader.giveUp() == nil && !reader.isWaiting)
        #expect(reader.keys(of: Array("A".utf8)) == [.character("A")])
    }

    @Test func `a sequence without an end is given up, and later keys count`() {
        var reader = KeyReader()
        _ = reader.keys(of: Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 40))
        #expect(reader.keys(of: Array("q".utf8)).last == .character("q"))
    }

    @Test(arguments: 0..<100)
    func `any bytes are read to their end`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var reader = KeyReader()
        for _ in 0..<50 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random)
                    : Array("\u{1B}[<;M".utf8).randomElement(using: &random) ?? 0
            }
            for case .click(let column, let row) in reader.keys(of: bytes) { #expect(column >= 0 && row >= 0) }
        }
    }
}
