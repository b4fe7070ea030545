import Testing

/// Tests mistakes of tags. The compiler reports each mistake at its place in the source.
@Suite(.timeLimit(.minutes(20))) struct TagMistakeTests {
    @Test func `a stored property without a tag is offered the next tag`() {
        Expanding.expect(
            mistake: "The stored property 'b' has no tag. Each stored property of a message has one.",
            in: """
                @Message struct A {
                    @FieldTag(7) var a: Bool
                    // The second one.
                    private var ▲b: Bool
                }
                """,
            remedy: "Add @FieldTag(8)",
            fixed: """
                @Message struct A {
                    @FieldTag(7) var a: Bool
                    // The second one.
                    @FieldTag(8) private var b: Bool
                }
                """)
    }

    @Test func `a tag of two properties is reported at the second one`() {
        Expanding.expect(
            mistake: "The properties 'a' and 'c' have the same tag 1.",
            in: """
                @Message struct A {
                    @FieldTag(1) var a: Bool
                    @FieldTag(2) var b: Bool
                    @FieldTag(▲0x1) var c: Bool
                }
                """,
            remedy: "Use the tag 3, which is free",
            fixed: """
                @Message struct A {
                    @FieldTag(1) var a: Bool
                    @FieldTag(2) var b: Bool
                    @FieldTag(3) var c: Bool
                }
                """)
    }

    @Test(arguments: ["0", "-1", "65536", "0x1_0000", "99999999999999999999999999"])
    func `a tag that no field can have is reported`(tag: String) {
        Expanding.expect(
            mistake: "The tag \(tag) is not between 1 and 65535.",
            in: "@Message struct A { @FieldTag(▲\(tag)) var a: Bool; @FieldTag(4) var b: Bool }",
            remedy: "Use the tag 5, which is free",
            fixed: "@Message struct A { @FieldTag(5) var a: Bool; @FieldTag(4) var b: Bool }")
    }

    @Test(arguments: ["1", "65535", "0b11", "0o17"])
    func `the smallest and the largest tag are no mistakes`(tag: String) {
        let text = Expanding.expansion(of: "@Message struct A { @FieldTag(\(tag)) var a: Bool }")
        #expect(text.contains("encoder.encode(self.a"))
    }

    @Test func `if the largest tag is in use, no other tag is offered`() {
        Expanding.expect(
            mistake: "The stored property 'b' has no tag. Each stored property of a message has one.",
            in: "@Message struct A { @FieldTag(65535) var a: Bool; var ▲b: Bool }")
    }

    @Test(arguments: ["number", "1 + 1", "Tags.level", "(1)", "\"1\"", "1.0"])
    func `a tag that is no literal is reported`(tag: String) {
        Expanding.expect(
            mistake: "A tag is a number such as 3 in the source, because a macro cannot compute values.",
            in: "@Message struct A { @FieldTag(▲\(tag)) var a: Bool }",
            remedy: "Use the tag 1, which is free",
            fixed: "@Message struct A { @FieldTag(1) var a: Bool }")
    }

    @Test func `a tag without a number is reported`() {
        Expanding.expect(
            mistake: "A tag is a number such as 3 in the source, because a macro cannot compute values.",
            in: "@Message struct A { ▲@FieldTag var a: Bool }")
    }

    @Test func `a second tag of a property is reported`() {
        Expanding.expect(
            mistake: "The property has two tags. A property has one tag only.",
            in: "@Message struct A { @FieldTag(1) ▲@FieldTag(2) var a: Bool }",
            remedy: "Remove the tag", fixed: "@Message struct A { @FieldTag(1) var a: Bool }")
    }

    @Test func `a retired tag is reported`() {
        Expanding.expect(
            mistake: "The tag 3 is retired. Older programs still give it its old meaning.",
            in: "@Message(retired: 9, 3) struct A { @FieldTag(▲3) var a: Bool }",
            remedy: "Use the tag 10, which is free",
            fixed: "@Message(retired: 9, 3) struct A { @FieldTag(10) var a: Bool }")
    }

    @Test func `a list of retired tags is checked like tags`() {
        Expanding.expect(
            mistake: "The tag 3 stands twice in the list of retired tags.",
            in: "@Message(retired: 3, 4, ▲3) struct A {}")
        Expanding.expect(
            mistake: "The tag 0 is not between 1 and 65535.", in: "@Message(retired: ▲0) struct A {}")
        Expanding.expect(
            mistake: "A tag is a number such as 3 in the source, because a macro cannot compute values.",
            in: "@Message(retired: ▲old) struct A {}")
    }

    @Test(arguments: [
        ("static var a = true", "a static property"), ("var a: Bool { true }", "a computed property"),
        ("var a: Bool { get { true } set {} }", "a computed property"),
    ])
    func `a tag of a property that is not stored is reported`(property: String, kind: String) {
        Expanding.expect(
            mistake: "A tag belongs to a stored property, and this is \(kind).",
            in: "@Message struct A {\n    ▲@FieldTag(1) \(property)\n}",
            remedy: "Remove the tag", fixed: "@Message struct A {\n    \(property)\n}")
    }

    @Test(arguments: ["func a() {}", "struct B {}", "init() {}", "subscript(a: Int) -> Int { a }"])
    func `a tag of something that is no property is reported`(member: String) {
        Expanding.expect(
            mistake: "A tag belongs to a stored property, and this is no property.",
            in: "@Message struct A { ▲@FieldTag(1) \(member) }")
    }

    @Test(arguments: [
        "struct A { ▲@FieldTag(1) var a: Bool }", "▲@FieldTag(1) func a() {}",
        "@Other class A { ▲@FieldTag(1) let a: Bool }",
    ])
    func `a tag outside a message is reported`(source: String) {
        Expanding.expect(
            mistake: "@FieldTag has no effect here. It belongs to a stored property of a struct with @Message.",
            in: source)
    }
}
