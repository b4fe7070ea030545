import AnnexPolicy
import Testing

@testable import AnnexBroker

/// The files of a group belong to the user of the broker. So no extension may make a file there that runs with the
/// rights of the file's owner.
@Suite(.timeLimit(.minutes(20))) struct SetUserIDTests {
    @Test(arguments: PolicyLibrary.shipped.names)
    func `S1: no shipped policy lets an extension make a file that runs as its owner`(name: String) throws {
        #expect(try Policy.shipped(named: name).callForSetUserID == nil)
        #expect(
            try Policy.shipped(named: "workspace+com.apple.security.application-groups").callForSetUserID == nil)
    }

    @Test(arguments: ["fchmod", "openat", "openat2", "mknodat"])
    func `S1: a call that could make such a file is named`(call: String) throws {
        let text = """
            policy: own
            summary: Allows a call in any form.
            includes: [compute]
            allow:
              - reason: A test.
                calls: [\(call)]
            """
        let library = PolicyLibrary.shipped.adding(["own": (text: text, file: "own.yaml")])
        let policy = try library.policy(named: "own")
        #expect(policy.callForSetUserID == call)
    }
}
