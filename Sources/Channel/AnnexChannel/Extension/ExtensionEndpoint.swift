internal import AnnexLinux
internal import Glibc

/// The extension's end of a channel, for one thread and without Swift concurrency: it waits, answers, and waits again.
///
/// What it asks of the kernel is listed in `Docs/Design/Channel.md`, so that a filter can allow exactly that.
public struct ExtensionEndpoint: ~Copyable {
    let core: ExtensionCore

    /// Takes the descriptors that the sandbox left at the numbers of `ChannelDescriptor`. Once in a process.
    public static func adopt(waiting: WaitingStyle = .adaptive) throws(ExtensionFailure) -> ExtensionEndpoint {
        try ExtensionEndpoint(
            ExtensionDescriptors(
                control: Descriptor(owning: ChannelDescriptor.control),
                hostRegion: Descriptor(owning: ChannelDescriptor.hostRegion),
                extensionRegion: Descriptor(owning: ChannelDescriptor.extensionRegion)), waiting: waiting)
    }

    /// The extension's end from descriptors that lie anywhere. The regions' own are closed once they are mapped.
    public init(
        _ descriptors: consuming ExtensionDescriptors, waiting: WaitingStyle = .adaptive
    ) throws(ExtensionFailure) {
        do throws(SystemError) {
            let hostSize = try descriptors.hostRegion.status().size
            let hostMapping = try Mapping(descriptors.hostRegion, size: Int(hostSize), writable: false)
            let said = try RegionLayout.description(hostMapping, size: hostSize)
            let (capacity, arena) = said.extension
            let mapping = try Mapping(
                descriptors.extensionRegion, size: RegionLayout.size(capacity: capacity, arena: arena), writable: true)
            core = ExtensionCore(
                control: ControlSocket(owning: descriptors.control),
                own: OwnRegion(mapping, capacity: capacity, arena: arena),
                peer: PeerRegion(hostMapping, capacity: said.host.capacity, arena: said.host.arena),
                waiting: waiting, said)
        } catch {
            throw .system(error)
        }
    }

    /// Says that the extension is ready. Once, before anything else is said.
    /// - Parameter features: what this extension can do, for its host to read; the lower 32 bits.
    public func sayHello(features: UInt64 = 0) throws(ExtensionFailure) {
        try core.send(
            FrameHeader(kind: .hello),
            Hello(said: features & WireFeatures.usersBits | WireFeatures.own.rawValue).encoded())
    }

    /// Waits for the next request or event.
    /// - Parameter timeout: nil: without limit.
    /// - Returns: nil when the time is over.
    public func next(timeout: Duration? = nil) throws(ExtensionFailure) -> Incoming? {
        try core.next(until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    /// Waits for the next request; events are dropped.
    public func nextRequest() throws(ExtensionFailure) -> IncomingRequest {
        while true {
            guard let incoming = try core.next(until: nil) else { continue }
            switch consume incoming {
            case .request(let request): return request
            case .event: continue
            }
        }
    }

    /// Calls the host and waits for its answer on this thread. Requests that come meanwhile wait.
    /// - Parameter timeout: nil: without limit.
    /// - Throws: `ExtensionFailure.failed` with what the host said instead of an answer.
    public borrowing func callAndWait(
        _ method: UInt16, _ payload: [UInt8] = [], timeout: Duration? = nil
    ) throws(ExtensionFailure) -> [UInt8] {
        guard core.host.contains(.hostedCalls) else { throw .unsupported }
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        switch try core.call(method, payload, until: deadline) {
        case .reply(let bytes): return bytes
        case .failure(let code, let text): throw .failed(code: code, text: text)
        case .tooLate: throw .deadlineExceeded
        }
    }

    /// Sends a one-way message; waits while the host has no room.
    public func sendAndWait(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), event.payload)
    }

    /// The largest payload of an answer.
    public var largestPayload: Int { core.largestPayload }
    /// The largest payload of an event, of a call to the host and of a stream's message: half the ring.
    public var largestFrame: Int { core.largestFrame }
}

extension ExtensionEndpoint {
    /// Answers requests of bare bytes on this thread. Allocates nothing while it runs.
    ///
    /// While a body runs, this endpoint does nothing else: what a body asks of it throws `ExtensionFailure.inUse`.
    ///
    /// Requests that bring descriptors are refused with a failure; pings are answered, and calls that were given up
    /// before their request was read are passed over.
    /// - Parameters:
    ///   - body: reads the request and writes the answer, both in private memory, and returns the answer's length;
    ///     less than 0 answers a failure with that number's amount as its code.
    ///   - post: takes a one-way message; false ends serving.
    public borrowing func serve(
        _ body: (_ method: UInt16, _ request: RawSpan, _ reply: inout MutableRawSpan) -> Int,
        post: (_ method: UInt16, _ message: RawSpan) -> Bool = { _, _ in true }
    ) throws(ExtensionFailure) {
        try core.serve(body, post)
    }

    /// Waits for the next one-way message. Requests that come meanwhile wait for `next`.
    /// - Parameters:
    ///   - message: where it is copied to; what does not fit is an error, and the message is lost.
    ///   - timeout: nil: without limit.
    /// - Returns: nil when the time is over.
    public borrowing func nextPost(
        into message: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        return try unsafe message.withUnsafeMutableBytes { target throws(ExtensionFailure) in
            try unsafe core.nextPost(into: target, until: deadline)
        }
    }
}

/// The channel for who is at work and hears meanwhile what its host has to say. For the endpoint's thread only.
package struct ExtensionLookout {
    private let core: ExtensionCore

    package init(_ endpoint: borrowing ExtensionEndpoint) {
        core = endpoint.core
    }

    /// Reads what is there: pings are answered, events of these methods are taken out, all else is kept for later.
    package func look(for methods: Set<UInt16>) throws(ExtensionFailure) -> [UInt16] {
        try core.readWhatIsThere()
        return core.takeEvents(methods)
    }

    package func send(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), event.payload)
    }
}

extension ExtensionCore {
    fileprivate func takeEvents(_ methods: Set<UInt16>) -> [UInt16] {
        func isWanted(_ frame: Frame) -> Bool { frame.kind == .event && methods.contains(frame.method) }
        guard ahead.contains(where: isWanted) else { return [] }
        defer { ahead.removeAll(where: isWanted) }
        return ahead.filter(isWanted).map(\.method)
    }
}
