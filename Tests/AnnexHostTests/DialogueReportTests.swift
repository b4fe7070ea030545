import AnnexBrokerAPI
import AnnexChannel
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexHost

/// The reports about a dialogue to a broker. Each request must begin once and then end once, because a daemon rejects a host that reports
/// another order.
@Suite(.timeLimit(.minutes(20))) struct DialogueReportTests {
    private let service = LoneService()

    /// Opens a dialogue with an extension on a thread of this process.
    private func open() async throws -> PhotoEditingSession {
        let host = AnnexHost(service: service)
        let service = service
        Thread {
            while true {
                guard let ends = service.ends.withLock({ $0.take() }) else {
                    Thread.sleep(forTimeInterval: 0.001)
                    continue
                }
                try? Self.serve(ends)
                return
            }
        }.start()
        let picture = ItemProvider(contents: try ItemContents(bytes: [1]), types: [.png])
        return try await host.edit(EditablePicture(picture), with: "com.example.editor", as: nil)
    }

    private static func serve(_ ends: consuming ExtensionDescriptors) throws {
        let endpoint = try ExtensionEndpoint(ends)
        var open: IncomingRequest?
        var service = ChannelService()
        service.serveItems { (request: consuming IncomingRequest) in open = consume request }
        service.serve(EditingEvent.self) { event in
            if case .finished = event, let request = open.take() {
                var contents = ContentsList()
                let output = try ContentEditingOutput(
                    type: .png, adjustmentData: AdjustmentData(formatIdentifier: "a", formatVersion: "1", data: []),
                    bytes: [2])
                let reply = ReplyMessage([output.item], collecting: &contents)
                var pieces = SealedPieces()
                for content in contents.contents { pieces.append(try SealedMemory(copying: content.load())) }
                try request.reply(reply.encoded(), sealed: pieces)
            }
            return EditingAnswer()
        }
        try endpoint.sayHello()
        try service.serve(endpoint)
    }

    private func isBalanced(_ reports: [LoneHandle.Report]) -> Bool {
        var (open, seen) = (Set<UInt64>(), Set<UInt64>())
        for report in reports {
            switch report {
            case .began(let number): if !open.insert(number).inserted || !seen.insert(number).inserted { return false }
            case .ended(let number): if open.remove(number) == nil { return false }
            }
        }
        return open.isEmpty
    }

    @Test func `a finished edit is reported as it began and ended`() async throws {
        let editing = try await open()
        try await editing.perform(ContentAction(identifier: "a"))
        #expect(try await editing.finish().renderedContent.load() == [2])
        #expect(service.reports.count >= 8 && isBalanced(service.reports), "\(service.reports)")
    }

    @Test func `a cancelled edit is reported as it began and ended`() async throws {
        let editing = try await open()
        await editing.cancel()
        await eventually { editing.isAnswered }
        #expect(service.reports.count >= 4 && isBalanced(service.reports), "\(service.reports)")
    }

    @Test func `an edit whose task is cancelled is reported as it began and ended`() async throws {
        let editing = try await open()
        let task = Task { try await editing.finish() }
        task.cancel()
        _ = try? await task.value
        await eventually { editing.isAnswered }
        #expect(isBalanced(service.reports), "\(service.reports)")
    }
}
