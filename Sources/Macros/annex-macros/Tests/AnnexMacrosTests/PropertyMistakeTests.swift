import SwiftDiagnostics
import Testing

/// Tests mistakes of structs and of their properties. The compiler reports each mistake at its place in the source.
@Suite(.timeLimit(.minutes(20))) struct PropertyMistakeTests {
    @Test(arguments: [("class", "a class"), ("actor", "an actor"), ("protocol", "a protocol")])
    func `a message is a struct`(keyword: String, kind: String) {
        Expanding.expect(
            mistake: "@Message makes a message of a struct, and this is \(kind).", in: "▲@Message \(keyword) A {}")
    }

    @Test func `an enum is told that it needs no macro`() {
        Expanding.expect(
            mistake: "@Message makes a message of a struct, and this is an enum. "
                + "An enum with raw values needs no macro: declare that it conforms to FieldValue.",
            in: "▲@Message enum A: UInt8 { case b }")
    }

    @Test func `a struct that is private to a type is reported`() {
        let mistake = "The code of @Message cannot name a struct that is private to another type. Use 'fileprivate'."
        Expanding.expect(
            mistake: mistake, in: "enum Outer {\n    @Message ▲private struct A {}\n}", remedy: "Use 'fileprivate'",
            fixed: "enum Outer {\n    @Message fileprivate struct A {}\n}")
        Expanding.expect(
            mistake: mistake, in: "enum Outer {\n    private enum Inner {\n        @Message struct ▲A {}\n    }\n}")
    }

    @Test func `a stored property in a condition is reported`() {
        Expanding.expect(
            mistake: "A stored property of a message cannot stand in #if, because both sides must have it.",
            in: """
                @Message struct A {
                    #if os(Linux)
                    var computed: Bool { true }
                    #elseif DEBUG
                    #if TRACE
                    ▲@FieldTag(1) var a: Bool
                    #endif
                    #endif
                }
                """)
    }

    @Test func `a lazy property is reported`() {
        Expanding.expect(
            mistake: "A lazy property cannot be part of a message.",
            in: "@Message struct A {\n    ▲@FieldTag(1) lazy var a = true\n}", remedy: "Remove 'lazy'",
            fixed: "@Message struct A {\n    @FieldTag(1) var a = true\n}")
    }

    @Test(arguments: ["a: Bool, b: Bool", "a, b: Bool", "(a, b): (Bool, Bool)"])
    func `several properties in one declaration are reported`(names: String) {
        Expanding.expect(
            mistake: "A declaration in a message has one property, so that each property has its own tag.",
            in: "@Message struct A { var ▲\(names) }")
    }

    @Test func `a constant with a default is reported`() {
        Expanding.expect(
            mistake: "The constant 'a' always has its default, so no message can set it. Use 'var'.",
            in: "@Message struct A { @FieldTag(1) ▲let a = true }", remedy: "Use 'var'",
            fixed: "@Message struct A { @FieldTag(1) var a = true }")
    }

    @Test(arguments: ["Mode.fast", "[]", "nil", "count(3)", "[Frame]()"])
    func `a property whose type cannot be seen is reported`(value: String) {
        Expanding.expect(
            mistake: "The property needs a type in the source, because a macro cannot infer it.",
            in: "@Message struct A { @FieldTag(1) var ▲a = \(value) }")
    }

    @Test func `an integer without a type is offered one`() {
        Expanding.expect(
            mistake: "The property needs a type in the source, because a macro cannot infer it.",
            in: "@Message struct A { @FieldTag(1) var ▲a = 3 }", remedy: "Add the type Int64",
            fixed: "@Message struct A { @FieldTag(1) var a: Int64 = 3 }")
    }

    @Test(arguments: [
        ("▲Int", "Int64", "Int64"), ("▲UInt = 3", "UInt64", "UInt64 = 3"), ("[▲Int]", "Int64", "[Int64]"),
        ("▲Int?", "Int64", "Int64?"), ("▲Swift.Int", "Swift.Int64", "Swift.Int64"),
    ])
    func `an integer without a fixed width is reported`(type: String, use: String, fixed: String) {
        Expanding.expect(
            mistake: "Int and UInt have no fixed width. Use a type such as Int64 or UInt32.",
            in: "@Message struct A { @FieldTag(1) var a: \(type) }",
            remedy: "Use \(use)", fixed: "@Message struct A { @FieldTag(1) var a: \(fixed) }")
    }

    @Test(arguments: ["[String]?", "String??", "Optional<[UInt8]?>"])
    func `an optional of a list or of an optional is reported`(type: String) {
        Expanding.expect(
            mistake: "An optional cannot hold a list or another optional. A missing list is an empty list.",
            in: "@Message struct A { @FieldTag(1) var a: ▲\(type) }")
    }

    @Test(arguments: ["[String?]", "[[String]]", "Array<[[UInt8]]>"])
    func `a list of lists or of optionals is reported`(type: String) {
        Expanding.expect(
            mistake: "A list cannot hold lists or optionals. Put each element into a message of its own.",
            in: "@Message struct A { @FieldTag(1) var a: ▲\(type) }")
    }

    @Test(arguments: [
        "[String: Bool]", "Dictionary<String, Bool>", "Set<String>", "(Bool, Bool)", "() -> Void", "any Sendable",
        "String!", "A & B", "[3 of UInt8]",
    ])
    func `a type that no field can have is reported`(type: String) {
        Expanding.expect(
            mistake: "A message cannot have a property of this type. A struct with @Message can replace it.",
            in: "@Message struct A { @FieldTag(1) var a: ▲\(type) }")
    }

    @Test func `a default that an absent field could not restore is reported`() {
        Expanding.expect(
            mistake: "An optional has the default nil only, because nil is a missing field.",
            in: "@Message struct A { @FieldTag(1) var a: String? = ▲\"b\" }", remedy: "Remove the default",
            fixed: "@Message struct A { @FieldTag(1) var a: String? }")
        Expanding.expect(
            mistake: "A list has the default [] only, because an empty list has no field.",
            in: "@Message struct A { @FieldTag(1) var a: [String] = ▲[\"b\"] }", remedy: "Use []",
            fixed: "@Message struct A { @FieldTag(1) var a: [String] = [] }")
    }

    @Test func `all mistakes of a struct are reported in the order of the source`() {
        let mistakes = Expanding.mistakes(
            in: """
                @Message(retired: 0) struct A {
                    var a: Bool
                    @FieldTag(0) var b: Int
                    @FieldTag(1) let c = 3
                    @FieldTag(1) static var d = 4
                    @FieldTag(1) var e: [String?]
                }
                """)
        let wanted = [
            "tagOutOfRange", "noTag", "tagOutOfRange", "noFixedWidth", "constantWithDefault", "noType",
            "tagNeedsStoredProperty", "repeatedTag", "listOfMany",
        ]
        #expect(mistakes == wanted.map { MessageID(domain: "AnnexMacros", id: $0) })
    }

    /// Without both functions, the compiler would also report the missing conformance at every place that needs it.
    @Test func `a struct with a mistake still gets both functions`() {
        let text = Expanding.expansion(of: "@Message struct A { var a: Bool }")
        #expect(text.contains("extension A: AnnexMessages.Message {"))
        #expect(text.contains("throw AnnexMessages.DecodingFailure(offset: 0, reason: .missingField)"))
    }
}
