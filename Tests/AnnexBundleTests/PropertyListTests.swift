import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct PropertyListTests {
    private func read(_ text: String) throws -> PropertyListValue {
        try PropertyListValue(Array(text.utf8))
    }

    @Test func `every element of a property list is read`() throws {
        let value = try read(
            """
            \u{FEFF}<?xml version="1.0"?><!-- note --><plist>
            <dict>
              <key>s</key><string> a &lt;&amp;&#65;&#x42;&apos;<![CDATA[<raw>&]]> </string>
              <key>i</key><integer> -12 </integer> <key>h</key><integer>0x1F</integer>
              <key>r</key><real>1.5</real> <key>t</key><true/> <key>f</key><false></false>
              <key>d</key><data> aGVs
                 bG8= </data> <key>e</key><array/><key>w</key><date>2014-06-02T17:00:00Z</date>
              <key>n</key><array><dict/><string/></array>
            </dict></plist>
            """)
        let values = try #require(value.dictionary)
        #expect(values["s"] == .string(" a <&AB'<raw>& "))
        #expect(values["i"] == .integer(-12) && values["h"] == .integer(31) && values["r"] == .real(1.5))
        #expect(values["t"] == .boolean(true) && values["f"] == .boolean(false))
        #expect(values["d"] == .data(Array("hello".utf8)) && values["e"] == .array([]))
        #expect(values["w"] == .dateText("2014-06-02T17:00:00Z"))
        #expect(values["n"] == .array([.dictionary([:]), .string("")]))
    }

    @Test(arguments: [
        "", "text", "<plist>", "<plist></plist>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><string>a</string><string>b</string></plist>", "<plist><string>&nbsp;</string></plist>",
        "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>", "<plist><integer>1e9</integer></plist>",
        "<plist><integer>99999999999999999999</integer></plist>", "<plist><data>a</data></plist>",
        "<plist><string>a</strong></plist>", "<plist><true/></plist>more", "<plist><unknown/></plist>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", "<plist><!-- ", "<?xml",
        "<plist><dict",
        "<plist><string>&#xD800;</string></plist>", "<plist><string>&#x110000;</string></plist>",
    ])
    func `text that is no property list is refused`(text: String) {
        #expect(throws: PropertyListFailure.self) { _ = try read(text) }
    }

    @Test func `the binary form gives the same values`() throws {
        let object: [String: Any] = [
            "text": "grüß 🖼", "ascii": "plain", "number": -5, "big": 1 << 40, "real": 0.25, "truth": true,
            "data": Data([1, 2, 3]), "list": [1, ["deep": "value"]] as [Any],
            "date": Date(timeIntervalSinceReferenceDate: 5),
            "long": String(repeating: "x", count: 300),
        ]
        let bytes = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let values = try #require(try PropertyListValue([UInt8](bytes)).dictionary)
        #expect(values["text"] == .string("grüß 🖼") && values["ascii"] == .string("plain"))
        #expect(values["number"] == .integer(-5) && values["big"] == .integer(1 << 40) && values["real"] == .real(0.25))
        #expect(values["truth"] == .boolean(true) && values["data"] == .data([1, 2, 3]) && values["date"] == .date(5))
        #expect(values["list"] == .array([.integer(1), .dictionary(["deep": .string("value")])]))
        #expect(values["long"]?.string?.utf8.count == 300)
    }

    /// A binary list of objects. Each object is given as its bytes, and each offset and reference has one byte.
    private func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        func number(_ value: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 7) + [value] }
        return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + number(UInt8(objects.count)) + number(0) + number(table)
    }

    @Test func `BOMB-16: circles and fans of references end at the limits`() throws {
        #expect(throws: PropertyListFailure.self) { _ = try PropertyListValue(binary([[0xA1, 0]])) }
        let fan = (0..<30).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]]
        let error = #expect(throws: PropertyListFailure.self) { _ = try PropertyListValue(binary(fan)) }
        #expect(error?.what.contains("values") ?? false)
        #expect(try PropertyListValue(binary([[0xA1, 1], [0x09]])) == .array([.boolean(true)]))
    }

    /// A binary list of objects at the given offsets. Each offset and each reference has three bytes.
    private func binary(_ heap: [UInt8], offsets: [Int]) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) }
        }
        return Array("bplist00".utf8) + heap + offsets.flatMap { number($0, 3) } + [0, 0, 0, 0, 0, 0, 3, 3]
            + number(offsets.count, 8) + number(0, 8) + number(8 + heap.count, 8)
    }

    /// The header of an object with a 32-bit count.
    private func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
        [kind << 4 | 0xF, 0x12] + (0..<4).reversed().map { UInt8(count >> ($0 * 8) & 0xFF) }
    }

    @Test(arguments: [0x4, 0x5, 0x6] as [UInt8])
    func `BOMB-16: a long object that many references share is refused before it is copied`(kind: UInt8) throws {
        // A file below 1 MiB. A reader that copies the object for each reference would need 30 GiB.
        let references = 40_000
        let array = head(0xA, references)
        let long = head(kind, kind == 0x6 ? 400_000 : 800_000) + [UInt8](repeating: 0x61, count: 800_000)
        let heap = array + (0..<references).flatMap { _ in [0, 0, 1] as [UInt8] } + long
        let file = binary(heap, offsets: [8, 8 + array.count + references * 3])
        #expect(file.count <= PropertyListLimits.ordinary.bytes)
        let error = #expect(throws: PropertyListFailure.self) { _ = try PropertyListValue(file) }
        #expect(error?.what.contains("bytes of text and data") ?? false)
    }

    @Test func `BOMB-16: objects that overlap are refused like shared ones`() throws {
        // The 1,000 objects overlap. Each begins one header after the previous object, and all end at the same byte.
        let count = 1_000
        let length = 600_000
        var heads: [UInt8] = []
        for index in 0..<count { heads += head(0x4, length + (count - index - 1) * 6) }
        let array = head(0xA, count) + (1...count).flatMap { [0, UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let heap = array + heads + [UInt8](repeating: 0, count: length)
        let offsets = [8] + (0..<count).map { 8 + array.count + $0 * 6 }
        let error = #expect(throws: PropertyListFailure.self) {
            _ = try PropertyListValue(binary(heap, offsets: offsets))
        }
        #expect(error?.what.contains("bytes of text and data") ?? false)
    }

    @Test func `BOMB-16: a long key is refused in both forms before keys are compared`() throws {
        let key = String(repeating: "k", count: 2_000)
        let dictionary = [0xD1, 0, 0, 1, 0, 0, 2] as [UInt8]
        let heap = dictionary + head(0x5, key.utf8.count) + Array(key.utf8) + [0x09]
        let file = binary(heap, offsets: [8, 15, 8 + heap.count - 1])
        let error = #expect(throws: PropertyListFailure.self) { _ = try PropertyListValue(file) }
        #expect(error?.what.contains("a key longer than") ?? false)
        let text = #expect(throws: PropertyListFailure.self) {
            _ = try read("<plist><dict><key>\(key)</key><true/></dict></plist>")
        }
        #expect(text?.what.contains("a key longer than") ?? false)
    }

    @Test func `a text that a few references share is read each time`() throws {
        let heap = head(0xA, 3) + [0, 0, 1, 0, 0, 1, 0, 0, 1] + [0x53] + Array("abc".utf8)
        let value = try PropertyListValue(binary(heap, offsets: [8, 8 + 15]))
        #expect(value == .array([.string("abc"), .string("abc"), .string("abc")]))
    }

    @Test func `IPC-09: changed lists of both forms never trap`() throws {
        let object: [String: Any] = ["a": ["b": [1, 2.5, true, Data([7]), "text", Date()] as [Any]], "ü": -1]
        let forms = try [PropertyListSerialization.PropertyListFormat.binary, .xml].map {
            [UInt8](try PropertyListSerialization.data(fromPropertyList: object, format: $0, options: 0))
        }
        let seed = SeededRandom.fresh()
        print("seed: ANNEX_SEED=\(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var bytes = forms[Int.random(in: 0..<forms.count, using: &generator)]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[place] = UInt8.random(in: 0...255, using: &generator)
                } else {
                    bytes.remove(at: place)
                }
            }
            _ = try? PropertyListValue(bytes)
        }
    }
}
