import AnnexLinux
import AnnexModel
import Testing

@testable import AnnexHost

@Suite(.timeLimit(.minutes(20))) struct SessionTests {
    /// An item whose attachment needs the control socket.
    private func itemWithFile() throws -> ExtensionItem {
        let contents = try ItemContents(path: "/proc/self/exe")
        return ExtensionItem(attachments: [
            ItemProvider(contents: contents, types: [TypeIdentifier(rawValue: "public.data")])
        ])
    }

    @Test func `L7: a closed channel of a living extension blocks no asynchronous caller`() async throws {
        let service = LoneService()
        let session = try await AnnexHost(service: service).begin("lone")
        service.closeChannel()
        let item = try itemWithFile()
        await #expect(throws: HostError.self) { try await session.request([item]) }
        #expect(session.termination?.reason == .protocolViolation)
    }

    @Test func `L7: a closed channel of a living extension blocks no blocking caller`() throws {
        let service = LoneService()
        let session = try AnnexHost(service: service).beginAndWait("lone")
        service.closeChannel()
        let item = try itemWithFile()
        #expect(throws: HostError.self) { try session.requestAndWait([item]) }
        #expect(session.termination?.reason == .protocolViolation)
    }

    @Test func `a session keeps the broker that runs it`() async throws {
        weak var service: LoneService?
        let session: ExtensionSession
        do {
            let made = LoneService()
            service = made
            session = try await AnnexHost(service: made).begin("lone")
        }
        #expect(service != nil)
        _ = await session.complete()
    }
}
