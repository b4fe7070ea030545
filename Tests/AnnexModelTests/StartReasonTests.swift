import AnnexModel
import Testing

/// The argument that tells a containing app why it was started.
@Suite struct StartReasonTests {
    private static let schemes = ["todo", "annex-start"]

    private func reason(_ argument: String) -> StartReason? {
        StartReason(argument: argument, ofAppRegistering: Self.schemes)
    }

    @Test func `a reason survives its way through the argument`() throws {
        let reasons: [StartReason] = [
            .url(try AppURL("todo://add?milk")), .backgroundSession("com.example.todo.sync"),
            .backgroundSession("a.b"), .backgroundSession("com.example.to-do.sync_2"),
        ]
        for reason in reasons { #expect(self.reason(reason.argument) == reason) }
        #expect(reasons[1].argument == "annex-start:background-session/com.example.todo.sync")
    }

    @Test(arguments: [
        "annex-start:", "annex-start:background-session", "annex-start:background-session/",
        "annex-start:background-session/todo", "annex-start:background-session/com..todo",
        "annex-start:background-session/.com", "annex-start:background-session/com.todo.",
        "annex-start:background-session/com.todo/x", "annex-start:background-session/../com.todo",
        "annex-start:background-session/com.-todo", "annex-start:background-session/com.todo ",
        "annex-start:background-session/com.todo\n", "annex-start:background-session/com.t\u{f6}do",
        "annex-start:background-session/com.todo?x", "annex-start://background-session/com.todo",
        "annex-start:/background-session/com.todo", "annex-start:Background-Session/com.todo",
        "annex-start:other/com.todo", "annex-start:url/todo:x", " annex-start:background-session/com.todo",
        "ANNEX-START:background-session/com.todo", "Annex-start:background-session/com.todo",
        "annex-start:background-session/a.\(String(repeating: "b", count: 127))", "other:x", "", ":",
    ])
    func `an argument in any other spelling states no reason`(argument: String) {
        #expect(reason(argument) == nil)
    }

    @Test func `no URL has the scheme of reasons`() {
        for text in ["annex-start:background-session/com.todo", "ANNEX-START:x", "Annex-Start:"] {
            #expect(throws: AppURL.Fault.self) { try AppURL(text) }
        }
    }
}
