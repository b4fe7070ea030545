import AnnexBrokerAPI
import AnnexChannel
import AnnexModel
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexHost

/// The errors of a session's typed streams. The test plays the extension.
@Suite(.timeLimit(.minutes(20))) struct SessionStreamTests {
    private struct Text: Message, Hashable {
        var text: String

        init(_ text: String) { self.text = text }
        func encode(into encoder: inout MessageEncoder) { encoder.encode(text, as: 1) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { text = try decoder.decode(1) }
    }

    private enum Talk: ChannelStreamKind {
        static let method: UInt16 = 40
        typealias Arguments = Text
        typealias FromHost = Text
        typealias FromExtension = Text
    }

    private func endReason(_ error: HostError?) -> Termination.Reason? {
        guard case .ended(let end)? = error else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        return end.reason
    }

    @Test func `an extension that sends nothing on a typed stream is ended after the time limit`() async throws {
        let talk = try await Conversation.begin(timeLimit: .milliseconds(100))
        let stream = try await talk.session.openStream(Talk.self, arguments: Text(""))
        let error = await #expect(throws: HostError.self) { for try await _ in stream {} }
        #expect(endReason(error) == .timeLimit)
        withExtendedLifetime(talk.endpoint) {}
    }

    @Test func `a timeout of the reader leaves a typed stream open`() async throws {
        let talk = try await Conversation.begin()
        let stream = try await talk.session.openStream(Talk.self, arguments: Text("a"))
        let error = await #expect(throws: HostError.self) { try await stream.receive(timeout: .milliseconds(10)) }
        guard case .timedOut? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let blocking = #expect(throws: HostError.self) { try stream.receiveAndWait(timeout: .milliseconds(10)) }
        guard case .timedOut? = blocking else {
            Issue.record("\(String(describing: blocking))")
            return
        }
        #expect(talk.session.termination == nil)
        stream.finish()
        let late = await #expect(throws: HostError.self) { try await stream.send(Text("b")) }
        guard case .invalidRequest? = late else {
            Issue.record("\(String(describing: late))")
            return
        }
        withExtendedLifetime(talk.endpoint) {}
    }

    @Test func `a stream that the host has cancelled says so`() async throws {
        let talk = try await Conversation.begin()
        let stream = try await talk.session.openStream(Talk.self, arguments: Text("a"))
        stream.cancel()
        let error = await #expect(throws: HostError.self) { try await stream.receive() }
        guard case .taskCancelled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(talk.session.termination == nil)
        withExtendedLifetime(talk.endpoint) {}
    }

    @Test func `arguments of a typed stream that cannot be read end the extension`() async throws {
        var service = HostService()
        service.handleStreams(Talk.self) { _ in Issue.record("it was accepted") }
        let talk = try await Conversation.begin(serving: service)
        let stream = try talk.endpoint.openStream(Talk.method, arguments: [1])
        #expect(await talk.session.link.ended.value().reason == .protocolViolation)
        withExtendedLifetime(stream) {}
    }

    @Test func `a stream keeps its session`() async throws {
        let broker = LoneService()
        var stream: SessionStream<Talk>?
        weak var session: ExtensionSession?
        do {
            let made = try await AnnexHost(service: broker).begin("lone")
            session = made
            stream = try await made.openStream(Talk.self, arguments: Text("a"))
        }
        #expect(session != nil && session?.termination == nil)
        withExtendedLifetime(stream) {}
        stream = nil
        #expect(session == nil)
    }
}
