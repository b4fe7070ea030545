import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// For any bytes, the reader returns a value or an error with a place.
@Suite struct JSONReaderTests {
    static func error(_ text: String) -> String {
        do throws(PolicyError) {
            _ = try JSONReader.read(Array(text.utf8), file: "a.json")
            return "read"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("", "a.json:1:1: not JSON: the text ends where a value is expected"),
        ("{\n  \"a\": 1,\n  \"a\": 2}", "a.json:3:3: `$` has the key `a` twice"),
        ("[1, 2", "a.json:1:6: not JSON: `,` or `]` is expected"), ("[1 2]", "`,` or `]` is expected"),
        ("{\"a\" 1}", "`:` is expected after a key"), ("{a: 1}", "a key is expected"),
        ("[01]", "`,` or `]` is expected"), ("[1.]", "digits are expected after the point"),
        ("[1e]", "digits are expected in the exponent"), ("[+1]", "a value is expected"),
        ("[tru]", "a value is expected"),
        ("\"\\x\"", "unknown escape"), ("\"\\ud800\"", "a surrogate pair is incomplete"),
        ("\"\\ud800\\u0041\"", "a surrogate pair is incomplete"), ("\"\\u12g4\"", "four hexadecimal digits"),
        ("\"a\nb\"", "must not contain a control character"), ("\"a", "the text ends inside quotes"),
        ("1 2", "the text continues after its value"), ("\u{FEFF}1", "a value is expected"),
    ])
    func `text that is no JSON is refused with its place`(text: String, message: String) {
        #expect(Self.error(text).contains(message), "\(Self.error(text))")
    }

    @Test func `JSON values are read as they are written`() throws {
        let text = #"{"a": [1, -2.5e3, "x\u00e9\ud83d\ude00\n\"", true, null], "b": {"c": 18446744073709551615}}"#
        let root = try JSONReader.read(Array(text.utf8), file: "a.json")
        let values = try root.object(keys: ["a", "b"])
        let list = try #require(try values["a"]?.list())
        #expect(try list[0].number() == 1)
        #expect(throws: PolicyError.self) { try list[1].number() }
        #expect(try list[2].text() == "xé😀\n\"")
        #expect(list[4].isNull && list[2].path.text == "$.a[2]" && list[2].place.column == 19)
        #expect(try values["b"]?.object(keys: ["c"])["c"]?.number() == .max)
    }

    @Test(arguments: ["[", "{\"a\":", "[[[{\"a\":[", "\"", "1", " ", "\\"])
    func `a hundred thousand opening pieces end in an error`(piece: String) {
        #expect(Self.error(String(repeating: piece, count: 100_000)).contains("a.json:"))
    }

    @Test func `ten megabytes are refused at once`() {
        #expect(Self.error(String(repeating: "[1],", count: 2_500_000)).contains("longer than"))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `mangled profiles end in policies or errors`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let world = try ProfileImportTests.world([])
        let start = Array(
            ProfileImportTests.profile(
                #", {"names": ["dup", "clone"], "action": "SCMP_ACT_ALLOW", "args": [{"index": 0, "value": 7, "valueTwo": 1, "op": "SCMP_CMP_MASKED_EQ"}]}"#
            ).utf8)
        for _ in 0..<400 {
            var bytes = start
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
                default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 9)], at: place)
                }
                if bytes.isEmpty { bytes = [0x20] }
            }
            _ = try? ImportedProfile(json: bytes, file: "a.json", name: "a", world: world)
        }
    }

    @Test func `written JSON reads back the same`() throws {
        let value = JSON.object([
            .init("a\"\\\u{1B}é😀", value: .list([.number(-3), .boolean(true), .null, .list([]), .object([])]))
        ])
        let read = try JSONReader.read(Array(value.written.utf8), file: "a.json")
        #expect(try read.object(keys: ["a\"\\\u{1B}é😀"]).count == 1)
        #expect(value.written.utf8.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 0x0A) })
    }

    @Test func `JSON of another writer means the same after escaping`() throws {
        let text = "a\u{7F}\u{9B}\u{202E}\u{2066}\u{200B}\u{61C}\u{FEFF}é😀"
        let written = "{\n\t\"\(text)\" : [\"\\u001b\\\"\(text)\", 1]\r\n}"
        let escaped = JSON.escaping(written)
        #expect(escaped.utf8.allSatisfy { (0x20..<0x7F).contains($0) || [0x09, 0x0A, 0x0D].contains($0) })
        let both = try [written, escaped].map { try JSON(reading: Array($0.utf8), file: "a.json") }
        #expect(both[0] == both[1] && both[1][text]?.items.first?.text == "\u{1B}\"\(text)")
    }
}
