import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexChannel
@testable import AnnexHost

/// A handler runs on the event loop's thread, which serves every extension of the host. So no handler may wait on this
/// thread for the loop.
@Suite(.timeLimit(.minutes(20))) struct LoopThreadTests {
    private struct Word: ChannelNotice {
        static let method: UInt16 = 21

        init() {}
        func encode(into encoder: inout MessageEncoder) { encoder.encode("word", as: 1) }
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) { _ = try decoder.decode(1, as: String.self) }
    }

    /// Passes the session to a handler, and passes the handler's observations to the test.
    private final class Handler: Sendable {
        let session = Synchronization.Mutex<ExtensionSession?>(nil)
        let errors = Synchronization.Mutex<[HostError]>([])

        /// Runs a body in the handler of notices with method 30.
        func service(_ body: @escaping @Sendable (ExtensionSession) throws(HostError) -> Void) -> HostService {
            var service = HostService()
            service.handleEvents(30) { [self] _ in
                guard let session = session.withLock({ $0.take() }) else { return }
                do throws(HostError) { try body(session) } catch { errors.withLock { $0.append(error) } }
            }
            return service
        }
    }

    /// Writes a hello, a notice and a frame of an unknown kind into the extension's ring at once. Then rings the
    /// doorbell.
    private func attack(_ ends: borrowing ExtensionDescriptors) throws {
        let hello =
            WireBytes.bytes(WireFormat.magic) + WireBytes.bytes(WireFormat.version) + WireBytes.bytes(UInt64(0))
        let frames = frame(.hello, hello) + frame(.event, [1], method: 30) + frame(nil, [])
        let region = try Mapping(
            ends.extensionRegion, size: Int(ends.extensionRegion.status().size), writable: true)
        for (index, byte) in frames.enumerated().dropFirst(8) {
            region.start.storeBytes(of: byte, toByteOffset: RegionLayout.ring + index, as: UInt8.self)
        }
        Processor.fence()
        region.start.storeBytes(
            of: WireBytes.number(frames, at: 0) ?? 0, toByteOffset: RegionLayout.ring, as: UInt64.self)
        try ControlSocket(owning: ends.control.duplicate()).send(WireFormat.doorbell)
    }

    private func frame(_ kind: FrameKind?, _ payload: [UInt8], method: UInt16 = 0) -> [UInt8] {
        let header =
            [kind?.rawValue ?? 63, 0] + WireBytes.bytes(method) + WireBytes.bytes(UInt32(payload.count))
            + WireBytes.bytes(UInt64(0))
        let bytes = header + payload
        return bytes + [UInt8](repeating: 0, count: 64 - bytes.count % 64)
    }

    @Test(arguments: ["a notice", "a request", "a typed call"])
    func `an extension that breaks a rule behind its notice blocks no other`(call: String) async throws {
        let handler = Handler()
        let service = handler.service { session throws(HostError) in
            switch call {
            case "a notice": try session.sendAndWait(Word())
            case "a request": _ = try session.requestAndWait([ExtensionItem(contentText: "hello")])
            default: _ = try session.callAndWait(Asked())
            }
        }
        let broker = LoneService()
        let session = try await AnnexHost(service: broker).begin("hostile", serving: service)
        handler.session.withLock { $0 = session }
        try attack(Self.ends(broker))
        #expect(await session.link.ended.value().reason == .protocolViolation)
        guard case .invalidRequest(let text)? = handler.errors.withLock({ $0.first }) else {
            Issue.record("\(handler.errors.withLock { $0 })")
            return
        }
        #expect(text == "\(CallFailure.onEventLoop)")
        #expect(try await anotherAnswers() == [3, 2, 1])
    }

    /// The extension's ends of the channel of the last launch.
    private static func ends(_ broker: LoneService) throws -> ExtensionDescriptors {
        var given = broker.ends.withLock { $0.take() }
        guard let ends = given.take() else { throw CancellationError() }
        return ends
    }

    private struct Asked: ChannelRequest {
        static let method: UInt16 = 20
        typealias Response = NoContent

        init() {}
        func encode(into encoder: inout MessageEncoder) {}
        init(from decoder: inout MessageDecoder) throws(DecodingFailure) {}
    }

    /// Sends a request to an honest extension on the same loop. That extension reverses the bytes.
    private func anotherAnswers() async throws -> [UInt8] {
        var service = HostService()
        service.serveRequests(31) { request in
            let payload = request.payload
            try? request.reply(payload.reversed())
        }
        let broker = LoneService()
        let session = try await AnnexHost(service: broker).begin("honest", serving: service)
        let endpoint = try ExtensionEndpoint(Self.ends(broker))
        try endpoint.sayHello()
        let answer = try endpoint.callAndWait(31, payload: [1, 2, 3], timeout: Duration.patience)
        _ = await session.complete()
        return answer
    }

    @Test func `a handler that begins another session and waits is refused`() async throws {
        let host = AnnexHost(service: LoneService(saysHello: false))
        let rejected: HostError? = try await onLoop {
            do throws(HostError) {
                _ = try host.beginAndWait("lone")
                return nil
            } catch {
                return error
            }
        }
        guard case .invalidRequest(let text)? = rejected else {
            Issue.record("\(String(describing: rejected))")
            return
        }
        #expect(text == "\(CallFailure.onEventLoop)")
    }

    @Test func `on the loop thread a wait for a known end returns at once`() async throws {
        let session = try await AnnexHost(service: LoneService()).begin("lone")
        _ = await session.complete()
        #expect(try await onLoop { session.completeAndWait() }.reason == .completed)
        #expect(try await onLoop { session.cancelAndWait() }.reason == .completed)
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let loop = try EventLoop.shared()
        return await withCheckedContinuation { task in loop.perform { task.resume(returning: body()) } }
    }

    @Test func `on the loop thread a wait for a future end stops the program with a message`() async {
        let run = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await Self.completeInAHandler()
        }
        let text = String(decoding: run?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("would wait for themselves on the event loop's thread"))
    }

    /// The handler waits for the end of its own session. The end is reported only after the handler returns.
    private static func completeInAHandler() async throws {
        let handler = Handler()
        let broker = LoneService()
        let service = handler.service { session throws(HostError) in _ = session.completeAndWait() }
        let session = try await AnnexHost(service: broker).begin("lone", serving: service)
        handler.session.withLock { $0 = session }
        let endpoint = try ExtensionEndpoint(Self.ends(broker))
        try endpoint.sayHello()
        try endpoint.sendAndWait(ChannelEvent(method: 30))
        _ = await session.link.ended.value()
    }
}
