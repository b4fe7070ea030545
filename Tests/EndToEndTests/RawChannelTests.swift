import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Foundation
import Testing

/// The channel of a sandboxed extension that serves its own methods and does not use items.
@Suite(.timeLimit(.minutes(20))) struct RawChannelTests {
    // The app's folder stays as long as the test runs.
    private let app: SubstituteApp
    private let host: AnnexHost

    init() throws {
        app = try SubstituteApp(running: "echoes-raw")
        host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
    }

    private static let payloads = [0, 1, 64, 1000].map { size in
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    }

    @Test func `an extension that speaks only the raw channel serves its host`() throws {
        let session = try host.beginAndWait(SubstituteApp.identifier) { $0.waiting = .block }
        for payload in Self.payloads {
            let answer = try session.channel.callAndWait(Request(method: 7, payload: payload), timeout: .patience)
                .payload
            #expect(answer == payload)
        }
        let end = session.completeAndWait()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `an extension that speaks only the raw channel serves tasks too`() async throws {
        let session = try await host.begin(SubstituteApp.identifier)
        for payload in Self.payloads {
            let answer = try await session.channel.call(Request(method: 8, payload: payload), timeout: .patience)
            #expect(answer.payload == payload)
        }
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }

    @Test func `a C extension serves its host from its sandbox`() async throws {
        let app = try SubstituteApp(running: CProgram.conforms.get())
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        let session = try await host.begin(SubstituteApp.identifier)
        for payload in Self.payloads {
            let answer = try await session.channel.call(Request(method: 1, payload: payload), timeout: .patience)
            #expect(answer.payload == payload)
        }
        let end = await session.complete()
        #expect(end.reason == .completed, "\(end)")
    }
}
