internal import AnnexLinux
internal import CAnnexLinux
internal import Glibc

/// The extension's end of a channel, for one thread and without Swift concurrency: the thread waits for a request,
/// answers it, and waits again.
///
/// `Docs/Design/Channel.md` lists the system calls that the endpoint makes, so that a filter can allow exactly those
/// calls.
public struct ExtensionEndpoint: ~Copyable {
    let core: ExtensionCore

    /// Creates the endpoint from the descriptors at the numbers of `ChannelDescriptor`, where the sandbox has put them.
    /// Call this once in a process.
    public static func adopt(waiting: WaitingStyle = .adaptive) throws(ExtensionFailure) -> ExtensionEndpoint {
        // The executor is installed before any code of the extension runs. Otherwise, the first task would make the
        // runtime start threads.
        FirstThread.install()
        // The output is a pipe, which the C library would fill before it writes. A crash would then lose what the
        // extension printed before.
        annex_buffer_lines()
        let endpoint = try ExtensionEndpoint(
            ExtensionDescriptors(
                control: Descriptor(owning: ChannelDescriptor.control),
                hostRegion: Descriptor(owning: ChannelDescriptor.hostRegion),
                extensionRegion: Descriptor(owning: ChannelDescriptor.extensionRegion)), waiting: waiting,
            tasks: .ofProcess)
        // From now on, a crash reports its place in the code.
        Faults.tell()
        return endpoint
    }

    /// Creates the endpoint from descriptors with any numbers. The regions' descriptors are closed once they are
    /// mapped.
    public init(
        _ descriptors: consuming ExtensionDescriptors, waiting: WaitingStyle = .adaptive
    ) throws(ExtensionFailure) {
        try self.init(descriptors, waiting: waiting, tasks: FirstThread())
    }

    /// Creates the endpoint of an extension that shares its process with other threads, which may resume its tasks.
    /// - Parameter wake: makes the host send `ReservedMethods.wakeUp`. Other threads call this closure.
    package init(
        _ descriptors: consuming ExtensionDescriptors, wake: @escaping @Sendable () -> Void
    ) throws(ExtensionFailure) {
        try self.init(descriptors, waiting: .adaptive, tasks: FirstThread(wake: wake))
    }

    private init(
        _ descriptors: consuming ExtensionDescriptors, waiting: WaitingStyle, tasks: FirstThread
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
                waiting: waiting, tasks: tasks, said)
        } catch {
            throw .system(error)
        }
    }

    /// Sends the hello, which states that the extension is ready. Call this once, before sending anything else.
    /// - Parameter features: features of this extension for its host; only the lower 32 bits are sent.
    public func sayHello(features: UInt64 = 0) throws(ExtensionFailure) {
        try core.send(
            FrameHeader(kind: .hello),
            payload: Hello(said: features & WireFeatures.usersBits | WireFeatures.own.rawValue).encoded())
    }

    /// Waits for the next request or event.
    /// - Parameter timeout: the longest wait; nil: no limit.
    /// - Returns: nil if the timeout has passed.
    public func next(timeout: Duration? = nil) throws(ExtensionFailure) -> Incoming? {
        try core.next(until: timeout.map { MonotonicClock.deadline(after: $0) })
    }

    /// Waits for the next request; drops events.
    public func nextRequest() throws(ExtensionFailure) -> IncomingRequest {
        while true {
            guard let incoming = try core.next(until: nil) else { continue }
            switch consume incoming {
            case .request(let request): return request
            case .event: continue
            }
        }
    }

    /// Calls the host and waits for its answer on this thread. Requests that come meanwhile are kept for later.
    /// - Parameters:
    ///   - method: the kind of request, in the numbering of the host and its extensions.
    ///   - payload: the bytes of the request. They are copied.
    ///   - timeout: the longest wait; nil: no limit.
    /// - Throws: `ExtensionFailure.failed` if the host answered with a failure; `.deadlineExceeded` if the timeout has
    ///   passed.
    public borrowing func callAndWait(
        _ method: UInt16, payload: [UInt8] = [], timeout: Duration? = nil
    ) throws(ExtensionFailure) -> [UInt8] {
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        return try core.call(method, payload: payload, until: deadline).bytes()
    }

    /// Sends a one-way message; waits while the ring has no room.
    public func sendAndWait(_ event: ChannelEvent) throws(ExtensionFailure) {
        try core.send(FrameHeader(kind: .event, method: event.method), payload: event.payload)
    }

    /// The largest payload of an answer.
    public var largestPayload: Int { core.largestPayload }
    /// The largest payload of an event, of a call to the host and of a stream's message: half the ring.
    public var largestFrame: Int { core.largestFrame }
}

extension ExtensionEndpoint {
    /// Answers requests with plain bytes on this thread. Allocates nothing while it runs.
    ///
    /// A body must not use this endpoint while it runs: each use throws `ExtensionFailure.inUse`.
    ///
    /// Requests with descriptors are answered with a failure. Pings are answered. Calls that were cancelled before
    /// their request was read are skipped.
    /// - Parameters:
    ///   - body: reads the request and writes the answer, both in private memory, and returns the answer's length. A
    ///     negative number answers with a failure whose code is that number's magnitude.
    ///   - post: handles a one-way message; returns false to stop serving.
    public borrowing func serve(
        _ body: (_ method: UInt16, _ request: RawSpan, _ reply: inout MutableRawSpan) -> Int,
        post: (_ method: UInt16, _ message: RawSpan) -> Bool = { _, _ in true }
    ) throws(ExtensionFailure) {
        try core.serve(body, post: post)
    }

    /// Waits for the next one-way message. Requests that come meanwhile are kept for `next`.
    /// - Parameters:
    ///   - message: receives the message. A message that does not fit is lost and throws `.payloadTooLarge`.
    ///   - timeout: the longest wait; nil: no limit.
    /// - Returns: the message's method and length; nil if the timeout has passed.
    public borrowing func nextPost(
        into message: inout MutableRawSpan, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> (method: UInt16, count: Int)? {
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        return try unsafe message.withUnsafeMutableBytes { target throws(ExtensionFailure) in
            try unsafe core.nextPost(into: target, until: deadline)
        }
    }
}
