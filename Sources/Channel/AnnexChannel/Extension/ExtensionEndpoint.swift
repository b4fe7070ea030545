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

    /// Sends a one-way message; waits while the host has no room.
    public func sendAndWait(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), event.payload)
    }

    /// The largest payload of an answer.
    public var largestPayload: Int { core.largestPayload }
    /// The largest payload of an event, of a call to the host and of a stream's message: half the ring.
    public var largestFrame: Int { core.largestFrame }
}
