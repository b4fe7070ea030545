import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexExtension

@Suite(.timeLimit(.minutes(20))) struct AppExtensionTests {
    @Test func `an extension answers requests until the host says goodbye`() throws {
        let conversation = try Conversation(Shouting.self)
        #expect(try conversation.request([ExtensionItem(contentText: "hello")]).first?.contentText == "HELLO")
        #expect(try conversation.request([]).first?.contentText == "")
        try conversation.end()
    }

    @Test func `the goodbye ends an extension whose task awaits`() throws {
        let conversation = try Conversation(AwaitingItsCancel.self)
        Thread.detachNewThread { _ = try? conversation.request([]) }
        AwaitingItsCancel.awaits.wait()
        try conversation.end()
    }

    @Test func `each request gets a new principal object`() throws {
        let conversation = try Conversation(Counting.self)
        for _ in 0..<3 { #expect(try conversation.request([]).first?.contentText == "1") }
    }

    @Test func `a principal object that returns without an answer cancels its request`() throws {
        let conversation = try Conversation(ReturningWithoutAnswer.self)
        #expect(try conversation.error([]) == .returnedWithoutAnswer)
    }

    @Test func `a request is answered exactly once`() throws {
        let conversation = try Conversation(AnsweringTwice.self)
        for _ in 0..<3 { #expect(try conversation.request([]).first?.contentText == "first") }
        #expect(conversation.host.counters.lateReplies == 0)
    }

    @Test func `a thrown error reaches the host and is shown escaped`() throws {
        let error = try Conversation(Cancelling.self).error([])
        #expect(error?.description == "no\\u{1b}[31m reason (annex.extension 3)")
    }

    @Test func `an answer that is too large becomes an error that says so`() throws {
        let error = try Conversation(TalkingTooMuch.self).error([])
        #expect(error?.code == ExtensionError.AnnexCode.answerTooLarge.rawValue)
        let long = try Conversation(CancellingAtLength.self).error([])
        #expect(long?.code == 9 && long?.localizedDescription.isEmpty == false)
    }

    @Test func `attachments enter as files and leave as sealed memory`() throws {
        let conversation = try Conversation(GivingBack.self)
        let provider = ItemProvider(contents: try ItemContents(bytes: [1, 2, 3]), types: [.png], suggestedName: "a")
        let file = ItemProvider(contents: try ItemContents(path: #filePath), types: [.data])
        let back = try conversation.request([ExtensionItem(attachments: [provider, file])])
        let attachments = try #require(back.first?.attachments)
        #expect(try attachments.first?.loadData(forType: .image) == [1, 2, 3])
        #expect(try attachments.last?.contents.count == file.contents.count)
        for attachment in attachments {
            #expect(try attachment.contents.open().descriptor.seals().isSuperset(of: .immutable))
        }
    }

    @Test func `an answer that the host does not accept becomes an error that says so`() throws {
        let conversation = try Conversation(GivingBack.self)
        let provider = ItemProvider(contents: try ItemContents(bytes: [1, 2, 3]), types: [.png])
        let items = [ExtensionItem(attachments: [provider])]
        for accepts in [DescriptorAllowance.none, DescriptorAllowance(pieces: 1, bytes: 2)] {
            #expect(
                try conversation.error(items, accepts: accepts)?.code
                    == ExtensionError.AnnexCode.answerNotAccepted.rawValue)
        }
        #expect(try conversation.error(items, accepts: DescriptorAllowance(pieces: 1, bytes: 3)) == nil)
    }

    @Test func `long work sees that its request is cancelled`() throws {
        let conversation = try Conversation(WorkingUntilCancelled.self)
        let call = try conversation.host.startAndWait(
            Request(method: RequestMessage.method), timeout: .milliseconds(20))
        // Both sides watch the same deadline. The side that notices it first ends the call: the host by itself, or the
        // extension with an error.
        do {
            let answer = try ReplyMessage(decoding: call.wait().payload).result(with: ContentsList())
            #expect(throws: ExtensionError.self) { try answer.get() }
        } catch {
            #expect(error as? CallFailure == .deadlineExceeded)
        }
        try conversation.end()
    }

    @Test func `an invalid request is refused and the extension lives on`() throws {
        let conversation = try Conversation(Shouting.self)
        #expect(throws: CallFailure.self) { try conversation.host.callAndWait(Request(method: 77), timeout: .patience) }
        #expect(throws: CallFailure.self) {
            try conversation.host.callAndWait(
                Request(method: RequestMessage.method, payload: [1, 2]), timeout: .patience)
        }
        #expect(try conversation.request([ExtensionItem(contentText: "a")]).first?.contentText == "A")
    }
}
