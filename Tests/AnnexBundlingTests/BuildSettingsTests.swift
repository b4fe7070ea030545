import AnnexBundle
import AnnexBundling
import Foundation
import Testing

/// The placeholders of a build, as real property lists use them.
@Suite(.timeLimit(.minutes(20))) struct BuildSettingsTests {
    private let settings = BuildSettings([
        "PRODUCT_NAME": "My App 2", "EXECUTABLE_NAME": "$(PRODUCT_NAME)", "EMPTY": "", "KIND": "LONG",
        "NAME_LONG": "nested", "SELF": "a$(SELF)b", "ONE": "$(TWO)", "TWO": "$(ONE)",
    ])

    @Test(arguments: [
        ("$(PRODUCT_NAME)", "My App 2"), ("${PRODUCT_NAME}", "My App 2"), ("a $(EXECUTABLE_NAME) b", "a My App 2 b"),
        ("$(PRODUCT_NAME:rfc1034identifier)", "My-App-2"), ("$(PRODUCT_NAME:c99extidentifier)", "My_App_2"),
        ("$(PRODUCT_NAME:lower:identifier)", "my_app_2"), ("$(PRODUCT_NAME:upper)", "MY APP 2"),
        ("$(NAME_$(KIND))", "nested"), ("$(EMPTY)", ""), ("$(EMPTY:default=x)", "x"), ("$(NONE:default=x y)", "x y"),
        ("no placeholder", "no placeholder"), ("5 $ and $$", "5 $ and $$"), ("$(PRODUCT_NAME)$(EMPTY)", "My App 2"),
    ])
    func `P2: placeholders are filled in`(text: String, filled: String) {
        #expect(settings.filled(text) == filled)
    }

    @Test(arguments: [
        "$(NONE)", "${NONE}", "$(PRODUCT_NAME:unknown)", "$(PRODUCT_NAME", "$()", "$(:lower)", "$(NAME_$(NONE))",
    ])
    func `P2: a placeholder without a value stays as it is`(text: String) {
        #expect(settings.filled(text) == text)
    }

    @Test func `settings that refer to one another end`() {
        #expect(settings.filled("$(SELF)") == "a$(SELF)b")
        #expect(settings.filled("$(ONE)").contains("$("))
        // Each of forty settings names the next setting twice. Without a bound, this would make a million million
        // values.
        var values: [String: String] = [:]
        for number in 0..<40 { values["S\(number)"] = "$(S\(number + 1))$(S\(number + 1))" }
        #expect(BuildSettings(values).filled("$(S0)").utf8.count < 1 << 20)
    }

    @Test func `property lists are filled in at every depth`() {
        let list = PropertyListValue.dictionary([
            "$(PRODUCT_NAME)": .array([.string("$(KIND)"), .integer(1)]), "b": .dictionary(["c": .string("${KIND}")]),
        ])
        #expect(
            settings.filled(list)
                == .dictionary([
                    "$(PRODUCT_NAME)": .array([.string("LONG"), .integer(1)]), "b": .dictionary(["c": .string("LONG")]),
                ]))
    }

    @Test func `a written property list is read as the same values`() throws {
        let list = PropertyListValue.dictionary([
            "text": .string(" <a & \"b\"> ü "), "empty": .string(""),
            "list": .array([.integer(-5), .real(1.5), .array([])]),
            "truth": .boolean(true), "data": .data([0, 255, 7, 9]), "none": .dictionary([:]), "one": .data([1]),
            "date": .dateText("2014-06-02T17:00:00Z"),
        ])
        #expect(try PropertyListValue(Array(PropertyListText.written(list).utf8)) == list)
    }

    @Test func `dates of binary lists are written as Foundation writes them`() throws {
        for seconds in [
            0.0, -1, 86_399, 427_000_000, -10_000_000_000, -978_307_200, 252_423_993_599, 91_152_000, 1e300,
        ] {
            let text = PropertyListText.written(.date(seconds))
            let date = Date(timeIntervalSinceReferenceDate: min(seconds, 252_423_993_599))
            let formatter = ISO8601DateFormatter()
            #expect(text.contains("<date>\(formatter.string(from: date))</date>"), "\(seconds)")
        }
    }
}
