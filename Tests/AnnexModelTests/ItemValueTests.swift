import AnnexModel
import Testing

@Suite struct ItemValueTests {
    @Test(
        arguments: [
            ("https", "\"https\""), (["https", 1], "[\"https\", 1]"), (.data([1, 2]), "2 bytes"),
            (.data([1]), "1 byte"),
            (true, "true"), (1.5, "1.5"), (.list([]), "[]"), ([:], "[:]"),
            (.date(ItemDate(secondsSince1970: 2)), "2.0 s since 1970"),
            (["b": ["c": 1], "a": [false]], "[\"a\": [false], \"b\": [\"c\": 1]]"),
        ] as [(ItemValue, String)])
    func `a value is described as its author would write it`(value: ItemValue, text: String) {
        #expect("\(value)" == text)
    }

    @Test func `the description of a hostile value moves no cursor and ends no quotation`() {
        let value: ItemValue = ["\u{1B}[2J\"": "a\u{202E}b\n"]
        #expect("\(value)" == #"["\u{1b}[2J\"": "a\u{202e}b\n"]"#)
    }
}
