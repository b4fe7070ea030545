import AnnexLinux
import AnnexTestSupport
import Synchronization
import Testing

@testable import AnnexChannel

/// Calls that an extension makes of its host.
@Suite(.timeLimit(.minutes(5))) struct HostedCallTests {
    /// Lets the extension do something, and what came of it be read.
    private func run<Value: Sendable>(
        serving service: HostService? = nil, handlers change: (inout ChannelHandlers) -> Void = { _ in },
        _ body: @escaping @Sendable (borrowing ExtensionEndpoint) throws -> Value
    ) throws -> Value? {
        var handlers = ChannelHandlers()
        service?.install(in: &handlers)
        change(&handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let outcome = Mutex<Value?>(nil)
        let box = Box(outcome)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            let value = try body(endpoint)
            box.value.withLock { $0 = value }
            try endpoint.serve { try $0.reply() }
        }
        host.finish(thread)
        return box.value.withLock { $0 }
    }

    private var doubling: HostService {
        var service = HostService()
        service.serve(Resize.self) { request in
            guard request.width > 0 else { throw HandlerFailure(code: 7, text: "no width") }
            return Resized(image: request.image + request.image)
        }
        service.serve(Forget.self) { _ async throws in
            await Task.yield()
            return NoContent()
        }
        return service
    }

    @Test func aHostAnswersItsExtension() throws {
        let answers = try run(serving: doubling) { endpoint in
            try (1...100).map { try endpoint.call(Resize(width: 1, image: [UInt8($0)]), timeout: .patience).image }
        }
        #expect(answers == (1...100).map { [UInt8($0), UInt8($0)] })
    }

    /// Waits as a task: a thread of the pool that waited here could be the one that the answer needs.
    @Test func tasksAnswerToo() async throws {
        var handlers = ChannelHandlers()
        doubling.install(in: &handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let (answers, told) = AsyncStream.makeStream(of: NoContent?.self)
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            told.yield(try? endpoint.call(Forget()))
            told.finish()
            try endpoint.serve { try $0.reply() }
        }
        var iterator = answers.makeAsyncIterator()
        let answer = await iterator.next()
        host.finish(thread)
        #expect(answer == NoContent())
    }

    @Test func whatAHandlerThrowsIsTheExtensionsFailure() throws {
        let failure = try run(serving: doubling) { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.call(Resize(width: 0)) } catch { return error }
            return nil
        }
        #expect(failure == .failed(code: 7, text: "no width"))
    }

    @Test func aHostWithoutHandlersSaysSo() throws {
        let failure = try run { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.call(5) } catch { return error }
            return nil
        }
        guard case .failed(HandlerFailure.unknownMethodCode, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func aRequestLetGoOfIsAFailureAndNotASilence() throws {
        let failure = try run(handlers: { $0.onRequest = { _ = consume $0 } }) { endpoint -> ExtensionFailure? in
            do throws(ExtensionFailure) { _ = try endpoint.call(5) } catch { return error }
            return nil
        }
        #expect(failure == .failed(code: IncomingRequest.droppedCode, text: "no answer was given"))
    }

    @Test func anExtensionThatGivesUpIsNotAnswered() throws {
        let shelf = Shelf()
        let failure = try run(handlers: { $0.onRequest = { shelf.put($0) } }) {
            endpoint -> ExtensionFailure? in
            var failure: ExtensionFailure?
            do throws(ExtensionFailure) { _ = try endpoint.call(5, timeout: .milliseconds(20)) } catch {
                failure = error
            }
            // The host answers too late; the next call is served all the same.
            _ = try? endpoint.call(6, timeout: .milliseconds(20))
            return failure
        }
        #expect(failure == .deadlineExceeded)
    }

    @Test func callsInBothDirectionsAtOnceAllResolve() async throws {
        var handlers = ChannelHandlers()
        doubling.install(in: &handlers)
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            // Each request is answered with what the host says meanwhile.
            while let incoming = try endpoint.next() {
                switch consume incoming {
                case .request(let request):
                    let payload = request.payload
                    let image = try endpoint.call(Resize(width: 1, image: payload)).image
                    try request.reply(image)
                case .event(let event): if event.method == ExtensionThread.endMethod { return }
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let answer = try await host.call(Request(method: 1, payload: [UInt8(index)])).payload
                        #expect(answer == [UInt8(index), UInt8(index)])
                    }
                }
            }
            try await group.waitForAll()
        }
        host.finish(thread)
    }
}

/// Keeps a request for as long as nobody asks for the next.
private final class Shelf: Sendable {
    private let held = Mutex<HostedRequest?>(nil)

    func put(_ request: consuming HostedRequest) {
        var given: HostedRequest? = consume request
        held.withLock { $0 = given.take() }
    }
}
