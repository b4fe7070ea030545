import AnnexChannel
import AnnexLinux
import AnnexModel
import Foundation
import Testing

/// The example extensions as processes, over a real channel, without a sandbox.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RunningExamplesTests {
    private func conduct(_ word: String) -> [ExtensionItem] {
        [ExtensionItem(userInfo: ["conduct": .string(word)])]
    }

    @Test func `Shout answers and leaves when its host asks for it`() throws {
        let shout = try RunningExample("Shout")
        #expect(try shout.request([ExtensionItem(contentText: "grüß")]).first?.contentText == "GRÜSS")
        try shout.sayGoodbye()
        #expect(shout.wait() == 0)
    }

    @Test func `the misbehaver reports the true results of its calls`() throws {
        let misbehaver = try RunningExample("Misbehaver")
        let files = try #require(try misbehaver.request(conduct("readsHostFiles")).first)
        #expect(files.contentText?.contains("/etc/passwd: succeeded") == true)
        #expect(files.userInfo["filesRead"]?.integer ?? 0 > 0)
        for (word, call) in [("opensSocket", "socket"), ("forks", "fork()")] {
            #expect(try misbehaver.request(conduct(word)).first?.contentText?.hasPrefix(call) == true)
        }
    }

    @Test(arguments: [("crashes", SIGSEGV), ("aborts", SIGABRT)])
    func `the misbehaver ends by the requested signal`(word: String, signal: Int32) throws {
        let misbehaver = try RunningExample("Misbehaver")
        #expect(throws: CallFailure.self) { _ = try misbehaver.request(conduct(word)) }
        #expect(misbehaver.wait() & 0x7F == signal)
    }

    @Test func `the misbehaver traps`() throws {
        let misbehaver = try RunningExample("Misbehaver")
        #expect(throws: CallFailure.self) { _ = try misbehaver.request(conduct("traps")) }
        #expect([SIGILL, SIGTRAP].contains(misbehaver.wait() & 0x7F))
    }

    @Test(arguments: ["sendsMalformedMessage", "handsOverDescriptor", "floods"])
    func `the channel finds each violation by the misbehaver`(word: String) throws {
        let misbehaver = try RunningExample("Misbehaver")
        #expect(throws: CallFailure.self) { _ = try misbehaver.request(conduct(word)) }
        switch (word, misbehaver.brokenRule()) {
        case ("sendsMalformedMessage", _): break
        case ("handsOverDescriptor", .descriptorsNotAskedFor(1, _)): break
        case ("floods", .messageBudget): break
        case (_, let other): Issue.record("\(word) was found as \(other)")
        }
    }

    @Test func `a request that the misbehaver never answers ends at its deadline`() throws {
        let misbehaver = try RunningExample("Misbehaver")
        #expect(throws: CallFailure.deadlineExceeded) {
            _ = try misbehaver.request(conduct("neverAnswers"), timeout: .milliseconds(200))
        }
    }
}
