import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Dispatch
import Foundation

@testable import AnnexExtension

/// A host and an extension's main loop in one process, over a real channel.
final class Conversation: Sendable {
    let host: HostEndpoint
    private let ended = DispatchSemaphore(value: 0)

    init(_ principal: (some AppExtension & SendableMetatype).Type) throws {
        let ends = try HostEndpoint.make()
        host = ends.host
        let box = DescriptorBox(ends.descriptors)
        let ended = ended
        let thread = Thread {
            guard let descriptors = box.take(), let endpoint = try? ExtensionEndpoint(descriptors) else { return }
            try? endpoint.sayHello()
            try? ExtensionServing.service(of: principal, on: endpoint).serve(endpoint)
            ended.signal()
        }
        thread.start()
    }

    /// Sends a request as a host does. The result is the items or the extension's error.
    func request(
        _ items: [ExtensionItem], accepts: DescriptorAllowance = DescriptorAllowance(pieces: 4, bytes: 1 << 24)
    ) throws -> [ExtensionItem] {
        var contents = ContentsList()
        let payload = try RequestMessage(items, collecting: &contents).encoded()
        let reply = try host.callAndWait(
            Request(
                method: RequestMessage.method, payload: payload, descriptors: contents.readOnlyDescriptors(),
                accepts: accepts, mostReply: MessageLimits.standard.bytes), timeout: .patience)
        return try ReplyMessage(decoding: reply.payload).result(with: ContentsList(reply.sealed)).get()
    }

    /// The error with which a request ends; nil if the request has a result.
    func error(_ items: [ExtensionItem], accepts: DescriptorAllowance = .none) throws -> ExtensionError? {
        do {
            _ = try request(items, accepts: accepts)
            return nil
        } catch let error as ExtensionError {
            return error
        }
    }

    /// Says goodbye and waits until the main loop has returned.
    func end() throws {
        try host.sendAndWait(ChannelEvent(method: LifeEvent.goodbye))
        ended.wait()
    }
}
