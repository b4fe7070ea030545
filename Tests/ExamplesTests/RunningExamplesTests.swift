import AnnexChannel
import AnnexLinux
import AnnexModel
import Foundation
import PictureEditing
import Testing

/// The example extensions as processes, over a real channel, without a sandbox.
@Suite(.serialized, .timeLimit(.minutes(20))) struct RunningExamplesTests {
    private func picture(_ bytes: [UInt8], _ userInfo: [String: ItemValue] = [:]) throws -> ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: try ItemContents(bytes: bytes), types: [.image])], userInfo: userInfo)
    }

    private func conduct(_ word: String) -> [ExtensionItem] {
        [ExtensionItem(userInfo: ["conduct": .string(word)])]
    }

    @Test func `Shout answers and leaves when its host asks for it`() throws {
        let shout = try RunningExample("Shout")
        #expect(try shout.request([ExtensionItem(contentText: "grüß")]).first?.contentText == "GRÜSS")
        try shout.sayGoodbye()
        #expect(shout.wait() == 0)
    }

    @Test func `the picture editor returns an edited picture of the same kind`() throws {
        let editor = try RunningExample("PictureEditor")
        for (file, type) in [(TestPNG().bytes, TypeIdentifier.png), (TestJPEG.progressive, .jpeg)] {
            for edit in PictureEdit.allCases {
                let back = try editor.request([picture(file, ["edit": .string(edit.rawValue)])])
                let attachment = try #require(back.first?.attachments.first)
                #expect(attachment.registeredTypeIdentifiers == [type])
                let bytes = try attachment.loadData(forType: type)
                let edited = try Picture(decoding: bytes)
                let original = try Picture(decoding: file)
                #expect(edited.width == original.width && edited.height == original.height && bytes != file)
            }
        }
    }

    @Test(
        arguments: [
            ([], "the picture is empty: the file has no bytes"),
            (Array("text".utf8), "the file is neither a PNG nor a JPEG picture"),
            (Array(TestPNG().bytes.prefix(60)), "the PNG file ends in the middle"),
            (
                TestPNG(width: 30_000, height: 30_000).bytes,
                "the picture says it is 30000 x 30000 pixels, which is too large to edit"
            ),
        ] as [([UInt8], String)])
    func `a broken picture gives one clear error`(file: [UInt8], text: String) throws {
        let editor = try RunningExample("PictureEditor")
        let error = try #require(throws: ExtensionError.self) { _ = try editor.request([picture(file)]) }
        #expect(error.localizedDescription == text)
        #expect(try !editor.request([picture(TestPNG().bytes)]).isEmpty, "the editor lives on")
    }

    @Test func `an unknown edit is refused by name`() throws {
        let editor = try RunningExample("PictureEditor")
        let item = try picture(TestPNG().bytes, ["edit": "blur"])
        let error = try #require(throws: ExtensionError.self) { _ = try editor.request([item]) }
        #expect(error.localizedDescription == "there is no such edit; there are: sepia, grayscale, invert")
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
