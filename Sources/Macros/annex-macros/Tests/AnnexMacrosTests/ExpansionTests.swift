import Testing

/// Tests the code that `@Message` writes.
@Suite(.timeLimit(.minutes(20))) struct ExpansionTests {
    @Test func `each kind of property has its own statements`() {
        Expanding.expect(
            """
            @Message struct Fade {
                @FieldTag(1) var level: Int64
                @FieldTag(2) var name: String?
                @FieldTag(3) var frames: [Frame]
                @FieldTag(4) var speed: Double = 1
            }
            """,
            becomes: """
                struct Fade {
                    var level: Int64
                    var name: String?
                    var frames: [Frame]
                    var speed: Double = 1
                }

                extension Fade: AnnexMessages.Message {
                    func encode(into encoder: inout AnnexMessages.MessageEncoder) {
                        encoder.encode(self.level, as: 1)
                        encoder.encode(self.name, as: 2)
                        encoder.encode(list: self.frames, as: 3)
                        encoder.encode(self.speed, as: 4)
                    }

                    init(from decoder: inout AnnexMessages.MessageDecoder) throws(AnnexMessages.DecodingFailure) {
                        self.level = try decoder.decode(1)
                        self.name = try decoder.decodeIfPresent(2)
                        self.frames = try decoder.decodeList(3)
                        self.speed = try decoder.decode(4, default: self.speed)
                    }
                }
                """)
    }

    @Test(arguments: [
        ("String", "self.a = try decoder.decode(1)"), ("Swift.UInt8", "self.a = try decoder.decode(1)"),
        ("[UInt8]", "self.a = try decoder.decode(1)"), ("Array<UInt8>", "self.a = try decoder.decode(1)"),
        ("Swift.Array<Swift.UInt8>", "self.a = try decoder.decode(1)"),
        ("Outer.Inner", "self.a = try decoder.decode(1)"),
        ("Page<String>", "self.a = try decoder.decode(1)"), ("(String)", "self.a = try decoder.decode(1)"),
        ("[UInt8] = []", "self.a = try decoder.decode(1, default: self.a)"),
        ("String?", "self.a = try decoder.decodeIfPresent(1)"),
        ("Optional<String>", "self.a = try decoder.decodeIfPresent(1)"),
        ("String? = nil", "self.a = try decoder.decodeIfPresent(1)"),
        ("[UInt8]?", "self.a = try decoder.decodeIfPresent(1)"),
        ("[String]", "self.a = try decoder.decodeList(1)"), ("[String] = []", "self.a = try decoder.decodeList(1)"),
        ("Array<String>", "self.a = try decoder.decodeList(1)"), ("[[UInt8]]", "self.a = try decoder.decodeList(1)"),
        ("String { didSet {} }", "self.a = try decoder.decode(1)"),
    ])
    func `the type of a property decides how it is read`(type: String, statement: String) {
        let text = Expanding.expansion(of: "@Message struct A { @FieldTag(1) var a: \(type) }")
        #expect(Self.statements(of: text, in: "init(").contains(statement), "\(text)")
    }

    @Test(arguments: ["1.5", "-1.5", "true", "\"text\""])
    func `a literal shows the type of a default`(value: String) {
        let text = Expanding.expansion(of: "@Message struct A { @FieldTag(1) var a = \(value) }")
        #expect(Self.statements(of: text, in: "init(") == ["self.a = try decoder.decode(1, default: self.a)"])
    }

    @Test func `fields are written and read in the order of their tags`() {
        let text = Expanding.expansion(
            of: """
                @Message struct A {
                    @FieldTag(0x30) var a: Bool
                    @FieldTag(2) var b: Bool
                    @FieldTag(1_000) var c: Bool
                }
                """
        )
        #expect(
            Self.statements(of: text, in: "func encode") == [
                "encoder.encode(self.b, as: 2)", "encoder.encode(self.a, as: 48)", "encoder.encode(self.c, as: 1000)",
            ])
        #expect(
            Self.statements(of: text, in: "init(") == [
                "self.b = try decoder.decode(2)", "self.a = try decoder.decode(48)",
                "self.c = try decoder.decode(1000)",
            ])
    }

    @Test(arguments: [
        ("public", "public "), ("package", "package "), ("internal", ""), ("fileprivate", ""), ("private", ""),
        ("", ""),
    ])
    func `the functions are as visible as the struct`(level: String, functions: String) {
        let text = Expanding.expansion(of: "@Message \(level) struct A {}")
        #expect(text.contains("    \(functions)func encode") && text.contains("    \(functions)init(from"), "\(text)")
    }

    @Test func `a struct in a public extension has public functions`() {
        let text = Expanding.expansion(of: "public extension Outer { @Message struct A {} }")
        #expect(text.contains("    public func encode"), "\(text)")
    }

    @Test func `static and computed properties are no fields`() {
        let text = Expanding.expansion(
            of: "@Message struct A { static let m: UInt16 = 3; var b: Int { get { 2 } }; var c: Int { 1 } }"
        )
        #expect(Self.statements(of: text, in: "func encode") == [])
    }

    @Test func `the module may stand before the names of the macros`() {
        let text = Expanding.expansion(of: "@Message struct A { @AnnexMacros.FieldTag(7) var a: Bool }")
        #expect(Self.statements(of: text, in: "func encode") == ["encoder.encode(self.a, as: 7)"])
    }

    /// The statements of one of the two functions that the macro writes, without indentation.
    private static func statements(of text: String, in function: String) -> [String] {
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let body = lines.drop { !$0.contains(function) || !$0.hasSuffix("{") }.dropFirst().prefix { $0 != "}" }
        return body.map { String($0) }
    }
}
