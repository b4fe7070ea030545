import AnnexLinux
import Foundation
import Testing

@Suite struct EscapedTests {
    @Test(arguments: [
        ("plain, with spaces – ünïcode 🖼", "plain, with spaces – ünïcode 🖼"),
        ("\u{1B}[31mred", "\\u{1b}[31mred"),
        ("line\nnext\r\tend", "line\\nnext\\r\\tend"),
        ("\u{202E}gpj.exe", "\\u{202e}gpj.exe"),
        ("a\u{200B}b\u{FEFF}c\u{2066}d", "a\\u{200b}b\\u{feff}c\\u{2066}d"),
        ("back\\slash", "back\\\\slash"),
        ("\u{9B}31m", "\\u{9b}31m"),
        ("\u{2028}", "\\u{2028}"),
        ("\0", "\\u{0}"),
        ("\u{E0041}\u{3164}", "\\u{e0041}\\u{3164}"),
    ])
    func `TTY-03: escaped text cannot steer a terminal`(text: String, shown: String) {
        #expect(Escaped(text).description == shown)
    }

    @Test(
        arguments: [
            ([0xFF, 0x41], "\\x{ff}A"), ([0xC3], "\\x{c3}"), ([0xC0, 0x80], "\\x{c0}\\x{80}"),
            ([0xED, 0xA0, 0x80], "\\x{ed}\\x{a0}\\x{80}"), ([0xF0, 0x9F, 0x41], "\\x{f0}\\x{9f}A"),
        ] as [([UInt8], String)])
    func `bytes that are no text are shown as numbers`(bytes: [UInt8], shown: String) {
        #expect(Escaped(bytes).description == shown)
    }

    @Test(arguments: [
        "plain – ünï", "\u{1B}[31m\n\r\t", "\u{202E}gpj\u{10FFFD}", "back\\slash", "\\u{1b}", "\\x{ff}", "\\\\n", "\\",
        "",
    ])
    func `the plain form of escaped text is the text`(text: String) throws {
        #expect(Escaped(text).plain == text && Escaped(text).isUTF8)
        #expect(Escaped.plain("is \(Escaped(text)), which") == "is \(text), which")
        let json = try JSONEncoder().encode([Escaped(text)])
        #expect(try JSONDecoder().decode([String].self, from: json) == [text])
        #expect(try JSONDecoder().decode([Escaped].self, from: json) == [Escaped(text)])
    }

    @Test func `text that is not UTF-8 stays escaped as a whole, and the bound stays`() {
        let bytes = Escaped([0x5C, 0xFF, 0x1B])
        #expect(bytes.plain == #"\\\x{ff}\u{1b}"# && !bytes.isUTF8)
        let long = Escaped([UInt8](repeating: 0x1B, count: 1_000), limit: 60)
        #expect(long.plain == String(repeating: "\u{1B}", count: 10) + "… (990 bytes more)")
        #expect(Escaped.plain(#"no escape: \u{zz} \u{110000} \u{ \q"#) == #"no escape: \u{zz} \u{110000} \u{ \q"#)
    }

    @Test func `the length of escaped text is bounded and the bytes left out are counted`() {
        let shown = Escaped([UInt8](repeating: 0x1B, count: 1_000), limit: 60).description
        #expect(shown == String(repeating: "\\u{1b}", count: 10) + "… (990 bytes more)")
    }

    @Test func `the last lines of an output are escaped one by one`() {
        let output = Array("one\ntwo\u{7}\n\nthree".utf8)
        #expect(Escaped.lines(of: output, last: 2).map(\.description) == ["two\\u{7}", "three"])
    }

    @Test func `quotes within quoted text are escaped`() {
        #expect(Escaped(quoting: Array(#"a" b"#.utf8)).description == #""a\" b""#)
        #expect(
            Escaped(quoting: [UInt8](repeating: 0x41, count: 100), limit: 3).description == "\"AAA\"… (97 bytes more)")
        #expect(Escaped(quoting: []).description == "\"\"")
    }
}
