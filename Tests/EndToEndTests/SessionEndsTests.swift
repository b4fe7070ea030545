import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import Testing

/// The ends of extensions in their sandboxes, as their host observes them.
@Suite(.timeLimit(.minutes(20))) struct SessionEndsTests {
    @Test func `a host follows the ends of all its sessions`() async throws {
        let app = try SubstituteApp(running: "serves-everything")
        let host = try AnnexHost.embedded(apps: [app.path], patience: .patience)
        var ends = host.ends.makeAsyncIterator()
        let crashing = try await host.begin(SubstituteApp.identifier)
        let completing = try await host.begin(SubstituteApp.identifier)
        let cancelling = try await host.begin(SubstituteApp.identifier)
        let waiting = Task { await crashing.untilEnd() }
        _ = try? await crashing.request([ExtensionItem(contentText: "crashes now")])
        #expect(await waiting.value == crashing.termination)
        let first = await ends.next()
        #expect(first?.identifier == SubstituteApp.identifier)
        #expect(first?.termination == crashing.termination)
        let completed = await completing.complete()
        #expect(await ends.next()?.termination == completed)
        let cancelled = await cancelling.cancel()
        #expect(await ends.next()?.termination == cancelled)
        #expect(crashing.termination?.reason == .crashed)
    }
}
