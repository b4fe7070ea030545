import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexHost

/// The order in which a session's host receives events, and the end of waits that the extension never ends.
@Suite(.timeLimit(.minutes(20))) struct SessionOrderTests {
    private final class Heard: Sendable {
        let events = Mutex<[[UInt8]]>([])
        var count: Int { events.withLock { $0.count } }
    }

    private struct Question: ChannelRequest {
        static let method: UInt16 = 20
        typealias Response = NoContent

        init() {}
        func encode(into encoder: inout MessageEncoder) {}
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
    }

    private struct Word: ChannelNotice {
        static let method: UInt16 = 21

        func encode(into encoder: inout MessageEncoder) { encoder.encode("word", as: 1) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { _ = try decoder.decode(1, as: String.self) }
    }

    @Test func `events of an extension are handled before complete returns`() async throws {
        for turn in 0..<10 {
            let heard = Heard()
            var service = HostService()
            service.handleEvents(30) { bytes in
                usleep(2000)  // the subject: an end that is known long before the notices are handled
                heard.events.withLock { $0.append(bytes) }
            }
            let talk = try await Conversation.begin(serving: service)
            for index in 0..<3 as Range<UInt8> {
                try talk.endpoint.sendAndWait(ChannelEvent(method: 30, payload: [index]))
            }
            let end = turn % 2 == 0 ? await talk.session.complete() : await talk.session.cancel()
            #expect(heard.events.withLock { $0 } == [[0], [1], [2]])
            #expect(end.reason == (turn % 2 == 0 ? .completed : .cancelled))
        }
    }

    @Test func `a host handles events and requests of bare bytes too`() async throws {
        let heard = Heard()
        var service = HostService()
        service.handleEvents(30) { bytes in heard.events.withLock { $0.append(bytes) } }
        service.serveRequests(31) { request in
            let payload = request.payload
            try? request.reply(payload.reversed())
        }
        let talk = try await Conversation.begin(serving: service)
        try talk.endpoint.sendAndWait(ChannelEvent(method: 30, payload: [0xFF, 0]))
        #expect(try talk.endpoint.callAndWait(31, payload: [1, 2, 3], timeout: .patience) == [3, 2, 1])
        #expect(heard.events.withLock { $0 } == [[0xFF, 0]])
        _ = await talk.session.complete()
    }

    @Test func `a notice that cannot be read ends the extension`() async throws {
        let heard = Heard()
        var service = HostService()
        service.handle(Word.self) { _ in heard.events.withLock { $0.append([]) } }
        let talk = try await Conversation.begin(serving: service)
        try talk.endpoint.sendAndWait(ChannelEvent(method: Word.method, payload: [1, 2]))
        #expect(await talk.session.link.ended.value().reason == .protocolViolation)
        #expect(heard.count == 0)
    }

    @Test func `the time limit of a point holds though the extension does not know it`() async throws {
        let talk = try await Conversation.begin(timeLimit: .milliseconds(100))
        let session = talk.session
        let call = Task { try await session.call(Question()) }
        guard case .request(let request) = try talk.endpoint.next(timeout: .patience) else {
            Issue.record("no request came")
            return
        }
        #expect(request.timeLeft == nil, "without terms the call takes the short way")
        do throws(HostError) {
            _ = try await Self.result(call).get()
            Issue.record("it was answered")
        } catch {
            guard case .ended(let end) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(end.reason == .timeLimit)
        }
    }

    private static func result(_ task: Task<NoContent, any Error>) async -> Result<NoContent, HostError> {
        do { return .success(try await task.value) } catch { return .failure((error as? HostError) ?? .timedOut) }
    }

    @Test func `an extension that lets a stream wait too long is ended`() async throws {
        let talk = try await Conversation.begin(timeLimit: .milliseconds(100))
        let stream = try talk.session.channel.openStream(40)
        await #expect(throws: StreamFailure.deadlineExceeded) { try await stream.send([1]) }
        #expect(await talk.session.link.ended.value().reason == .timeLimit)
        withExtendedLifetime(talk.session) {}
    }
}
