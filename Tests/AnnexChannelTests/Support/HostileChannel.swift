import AnnexLinux
import Glibc

@testable import AnnexChannel

/// A host's endpoint with a raw peer at the other end, and everything that the host reported about the peer.
final class HostileChannel: Sendable {
    let host: HostEndpoint
    let peer: RawPeer
    let loop: EventLoop
    let violations: AsyncStream<ChannelViolation>
    let events: AsyncStream<ChannelEvent>

    init(
        _ change: (inout ChannelConfiguration) -> Void = { _ in },
        handlers take: (inout ChannelHandlers) -> Void = { _ in }
    ) throws {
        var configuration = ChannelConfiguration.patient
        change(&configuration)
        let (violations, report) = AsyncStream.makeStream(of: ChannelViolation.self)
        let (events, event) = AsyncStream.makeStream(of: ChannelEvent.self)
        var handlers = ChannelHandlers()
        handlers.onViolation = { report.yield($0) }
        handlers.onEvent = { event.yield($0) }
        take(&handlers)
        loop = try EventLoop()
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers, eventLoop: loop)
        host = ends.host
        peer = try RawPeer(ends.descriptors, capacity: configuration.extensionCapacity)
        self.violations = violations
        self.events = events
    }

    deinit {
        host.end(with: "the test is over")
        loop.shutDown()
    }

    /// Sends the hello. Then waits until the loop's thread has read it and is at rest, so that the next caller leads.
    func greet(_ writer: inout RawWriter) async throws {
        writer.sendHello()
        _ = try await host.untilHello()
        // The doorbell may have arrived after the check in the first turn.
        for _ in 0..<2 { await withCheckedContinuation { turn in loop.execute { turn.resume() } } }
    }

    /// Occupies the event loop's thread, as a slow handler does.
    /// - Returns: the gate that frees the thread again. Open the gate before this object is freed, because `deinit`
    ///   waits for the thread.
    func occupyLoop() throws -> Gate {
        let (begins, mayGoOn) = (try Gate(), try Gate())
        loop.execute {
            begins.open()
            try? mayGoOn.wait()
        }
        try begins.wait()
        return mayGoOn
    }

    /// The one violation that the owner is told.
    func violation() async -> ChannelViolation? {
        var iterator = violations.makeAsyncIterator()
        return await iterator.next()
    }
}
