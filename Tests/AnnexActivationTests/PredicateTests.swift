import AnnexModel
import Testing

@testable import AnnexActivation

@Suite struct PredicateTests {
    /// A predicate over the attachments of one item. It is true if at least one attachment meets the condition.
    static func some(_ condition: String) -> String {
        "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(condition)).@count > 0).@count == 1"
    }

    private func holds(_ text: String, for items: OfferedItems) throws -> Bool {
        try ActivationPredicate(text).holds(for: items)
    }

    @Test func `A2: a subquery counts what its condition holds for`() throws {
        let rule = """
            SUBQUERY (extensionItems, $item, SUBQUERY ($item.attachments, $attachment,
              ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.image" ||
              ANY $attachment.registeredTypeIdentifiers UTI-CONFORMS-TO "public.movie"
            ).@count == $item.attachments.@count).@count >= 1
            """
        #expect(try holds(rule, for: Offers.photos(9)))
        #expect(try holds(rule, for: Offers.one(.png, .mpeg4Movie)))
        #expect(try !holds(rule, for: Offers.one(.png, .pdf)))
        #expect(try !holds(rule, for: Offers.nothing))
    }

    @Test(arguments: [1, 66])
    func `A2: a conformance test has the same outcome with few and with many types and texts`(others: Int) throws {
        let types = (0..<256).map { TypeIdentifier(rawValue: "com.example.type\($0)") }
        let attachments = stride(from: 0, to: 256, by: 64).map { Array(types[$0..<$0 + 64]) }
        let items = OfferedItems(attachments: [attachments], types: .builtIn)
        let tests = (0..<others).map { "com.example.other\($0)" }.map {
            "ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO '\($0)'"
        }
        let last = "ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'com.example.TYPE255'"
        func matching(_ tests: [String], _ count: Int) throws -> Bool {
            let condition = tests.joined(separator: " || ")
            return try holds(
                "SUBQUERY(extensionItems, $i, SUBQUERY($i.attachments, $a, \(condition)).@count == \(count)).@count == 1",
                for: items)
        }
        #expect(try matching(tests + [last], 1))
        #expect(try matching(tests, 0))
        #expect(try matching(["NONE $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'com.example.type0'"], 3))
        #expect(try matching(["ALL $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'com.example.type0'"], 0))
    }

    @Test(arguments: [
        ("ANY $a.registeredTypeIdentifiers UTI-EQUALS 'public.jpeg'", true),
        ("ANY $a.registeredTypeIdentifiers UTI-EQUALS 'public.image'", false),
        ("ANY $a.registeredTypeIdentifiers UTI-CONFORMS-TO 'PUBLIC.IMAGE'", true),
        ("ALL $a.registeredTypeIdentifiers == 'public.jpeg'", true),
        ("NONE $a.registeredTypeIdentifiers == 'public.jpeg'", false),
        ("SOME $a.registeredTypeIdentifiers BEGINSWITH 'public.'", true),
        ("ANY $a.registeredTypeIdentifiers BEGINSWITH 'PUBLIC.'", false),
        ("ANY $a.registeredTypeIdentifiers BEGINSWITH[cd] 'PUBLIC.'", true),
        ("ANY $a.registeredTypeIdentifiers ENDSWITH 'jpeg'", true),
        ("ANY $a.registeredTypeIdentifiers CONTAINS 'lic.j'", true),
        ("ANY $a.registeredTypeIdentifiers LIKE 'pub*.j?eg'", true),
        ("ANY $a.registeredTypeIdentifiers LIKE 'pub*.j?g'", false),
        ("ANY $a.registeredTypeIdentifiers LIKE[c] 'PUB*'", true),
        ("ANY $a.registeredTypeIdentifiers MATCHES 'public\\.(png|jpe?g)'", true),
        ("ANY $a.registeredTypeIdentifiers MATCHES '^[a-z]+\\.[^x]*$'", true),
        ("ANY $a.registeredTypeIdentifiers MATCHES 'public'", false),
        ("ANY $a.registeredTypeIdentifiers MATCHES[c] 'PUBLIC\\.\\w+'", true),
        ("ANY $a.registeredTypeIdentifiers IN { 'public.png', 'public.jpeg' }", true),
        ("'public.jpeg' IN $a.registeredTypeIdentifiers", true),
        ("$a.registeredTypeIdentifiers CONTAINS 'public.png'", false),
        ("$a.registeredTypeIdentifiers.@count BETWEEN { 1, 2 }", true),
        ("$a.registeredTypeIdentifiers.@count IN { 2, 3 }", false),
        ("SUBQUERY($a.registeredTypeIdentifiers, $t, $t UTI-CONFORMS-TO 'public.image').@count = 1", true),
        ("(SUBQUERY($a.registeredTypeIdentifiers, $t, $t != 'a')).@count <> 0", true),
        ("NOT (ANY $a.registeredTypeIdentifiers == 'public.jpeg') AND TRUEPREDICATE", false),
        ("! FALSEPREDICATE && $a.registeredTypeIdentifiers.@count >= 1", true),
        ("TRUEPREDICATE or FALSEPREDICATE and FALSEPREDICATE", true),
    ])
    func `A2: each operator of the language`(condition: String, expected: Bool) throws {
        #expect(try holds(Self.some(condition), for: Offers.photos(1)) == expected)
    }

    @Test(arguments: [
        ("", 1), ("extensionItems", 1), ("extensionItem.@count > 1", 1), ("extensionItems.@sum == 1", 16),
        ("extensionItems.@count >", 24), ("extensionItems.@count > 1 extensionItems", 27),
        ("SUBQUERY(extensionItems, $i, $i.attachment.@count > 1).@count > 1", 33),
        ("SUBQUERY(extensionItems, $i, $j.attachments.@count > 1).@count > 1", 30),
        ("SUBQUERY(extensionItems, $i, $i.attachments.registeredTypeIdentifiers.@count > 1).@count > 1", 45),
        ("SUBQUERY(extensionItems, i, TRUEPREDICATE).@count > 1", 26),
        ("extensionItems.@count == 'one'", 23), ("extensionItems == 1", 1), ("ANY extensionItems == 'a'", 5),
        ("'a' == \"b", 8), ("'a' MATCHES 'b(c'", 17), ("'a' MATCHES 'a{2}'", 15), ("'a' MATCHES '\\\\.{2}'", 17),
        ("'a' MATCHES '(?i)a'", 15),
        ("'a' ==[x] 'a'", 8), ("%@ == 1", 1), ("1 == 1 + 1", 8), ("'\u{E9}' == 'e'", 2), ("'a' LIKE 1", 10),
        ("1.2.3 == 1", 1), ("$ == 1", 1), ("(1 == 1", 8), ("1 == 1)", 7), ("1 IN { 1, {", 11),
    ])
    func `A2: what is outside the language is an error with its column and a remedy`(text: String, column: Int) {
        let error = #expect(throws: PredicateError.self) { _ = try ActivationPredicate(text) }
        #expect(error?.column == column, "\(text): \(error.map(String.init(describing:)) ?? "")")
        #expect(error?.remedy.isEmpty == false)
    }

    @Test(arguments: ["(", "NOT ", "!", "SUBQUERY(", "((SUBQUERY(extensionItems,$a,"])
    func `A2: ten thousand brackets are an error and no stack`(text: String) {
        let long = String(String(repeating: text, count: 10_000).prefix(ActivationPredicate.longest))
        let error = #expect(throws: PredicateError.self) { _ = try ActivationPredicate(long) }
        #expect(error.map { $0.column < 2_000 } == true, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func `A2: a predicate that is too long is an error`() {
        let long = "1 == 1" + String(repeating: " AND 1 == 1", count: 1_500)
        #expect(throws: PredicateError.self) { _ = try ActivationPredicate(long) }
    }

    @Test func `A2: a predicate that takes exponential time is not offered and says why`() {
        var text = "1 == 1"
        for level in 0..<20 { text = "SUBQUERY(extensionItems, $v\(level), \(text)).@count > 0" }
        let types = (0..<10).map { [[TypeIdentifier(rawValue: "com.example.type\($0)")]] }
        let items = OfferedItems(attachments: types, types: .builtIn)
        #expect(ActivationRule(.string(text)).decide(items).why == "its rule takes more than 20000 steps to decide")
    }

    @Test func `A2: patterns take steps for the empty text too, and bars count as steps`() {
        var text = "'' LIKE '" + String(repeating: "*a", count: 500) + "'"
        for level in 0..<10 { text = "SUBQUERY(extensionItems, $v\(level), \(text)).@count == 0" }
        let types = (0..<2).map { [[TypeIdentifier(rawValue: "com.example.type\($0)")]] }
        let items = OfferedItems(attachments: types, types: .builtIn)
        #expect(ActivationRule(.string(text)).decide(items).why == "its rule takes more than 20000 steps to decide")
        let bars = "'a' MATCHES '" + String(repeating: "|", count: 1_000) + "'"
        #expect(throws: PredicateError.self) { try ActivationPredicate(bars) }
    }

    @Test(arguments: ["(a*)*b", "(a|a)*b", "(a+)+b", "((a?)*)*b", "a*a*a*a*a*a*b"])
    func `A2: no pattern is slow on purpose`(pattern: String) throws {
        let long = String(repeating: "a", count: 250)
        let items = Offers.one(TypeIdentifier(rawValue: long))
        #expect(try !holds(Self.some("ANY $a.registeredTypeIdentifiers MATCHES '\(pattern)'"), for: items))
        #expect(try holds(Self.some("ANY $a.registeredTypeIdentifiers MATCHES '\(pattern.dropLast())'"), for: items))
    }

    @Test func `A2: comparing long texts again and again counts as many steps`() {
        let long = String(repeating: "a", count: 1_000)
        let part = "'\(long)' CONTAINS '\(String(repeating: "a", count: 500))b'"
        let text = Array(repeating: part, count: 10).joined(separator: " OR ")
        let types = (0..<5).map { [[TypeIdentifier(rawValue: "com.example.type\($0)")]] }
        let items = OfferedItems(attachments: types, types: .builtIn)
        let rule = ActivationRule(.string("SUBQUERY(extensionItems, $i, \(text)).@count > 0"))
        #expect(rule.decide(items).why?.contains("steps") == true)
    }

    @Test(arguments: [
        ("TRUEPREDICATE", true), (" truepredicate ", true), ("NOT FALSEPREDICATE", true), ("(TRUEPREDICATE)", true),
        ("TRUEPREDICATE OR 1 == 2", true), ("TRUEPREDICATE AND extensionItems.@count > 1", false),
    ])
    func `A2: TRUEPREDICATE is known wherever it decides`(text: String, isAlwaysTrue: Bool) throws {
        #expect(try ActivationPredicate(text).isAlwaysTrue == isAlwaysTrue)
    }

    @Test func `A2: random bytes and random words never trap`() {
        var random = SystemRandomNumberGenerator()
        let words = [
            "SUBQUERY", "(", ")", "extensionItems", ",", "$a", "$b", ".attachments", ".registeredTypeIdentifiers",
            ".@count", "==", ">", "1", "'public.image'", "ANY", "ALL", "NONE", "NOT", "AND", "OR", "{", "}", "MATCHES",
            "'(a|b)*'", "LIKE", "IN", "BETWEEN", "UTI-CONFORMS-TO", "TRUEPREDICATE", "[c]", "-", "\\", "'[a-'", "@",
            "$",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let isWords = Bool.random(using: &random)
            let text =
                isWords
                ? (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in words.randomElement(using: &random) }
                    .joined(separator: " ")
                : String(
                    decoding: (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    },
                    as: UTF8.self)
            do throws(PredicateError) {
                _ = try? ActivationPredicate(text).holds(for: Offers.photos(2))
                _ = try ActivationPredicate(text)
                read += 1
            } catch {
                #expect((1...(text.utf8.count + 2)).contains(error.column), "\(text): \(error)")
            }
        }
        #expect(read > 0)
    }
}
