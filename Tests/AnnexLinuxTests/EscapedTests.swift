import AnnexLinux
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
