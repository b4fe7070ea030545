import AnnexTestSupport
import Testing

@testable import AnnexChannel

/// A message number may be used only once, and the numbers of Annex may not be used.
@Suite(.timeLimit(.minutes(20))) struct ReservedMethodTests {
    private struct Taken: ChannelRequest, ChannelNotice {
        static let method: UInt16 = 0xFE00
        typealias Response = NoContent

        func encode(into encoder: inout MessageEncoder) {}
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
    }

    private struct OfThePoint: ChannelRequest, PointMessage {
        static let method: UInt16 = 0xFEEF
        typealias Response = NoContent

        func encode(into encoder: inout MessageEncoder) {}
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
    }

    @Test func `a number of Annex stops the extension with a message`() async {
        let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var service = ChannelService()
            service.serve(Taken.self) { _ in NoContent() }
        }
        expect(run, says: "the number 65024 of Taken is reserved")
    }

    @Test func `a number of Annex stops the host with a message`() async {
        let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var service = HostService()
            service.handleEvents(2) { _ in }
        }
        expect(run, says: "the number 2 is reserved")
    }

    @Test func `a number that is used twice stops the program with a message`() async {
        let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var service = ChannelService()
            service.serve(Resize.self) { _ in Resized(image: []) }
            service.serve(Resize.self) { _, _ async throws in Resized(image: []) }
        }
        expect(run, says: "the request number 10 of Resize has a handler already")
    }

    @Test func `messages of a point use the numbers of Annex and kinds do not collide`() {
        var service = HostService()
        service.serve(OfThePoint.self) { _ in NoContent() }
        service.serveRequests(20) { _ in }
        service.handleEvents(20) { _ in }
        service.handleStreams(20) { _ in }
        var handlers = ChannelHandlers()
        service.install(in: &handlers)
        #expect(handlers.onRequest != nil && handlers.onStream != nil)
    }

    private func expect(_ run: ExitTest.Result?, says text: String) {
        let said = String(decoding: run?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains(text), "\(said)")
    }
}
