internal import AnnexMessages
internal import Synchronization

/// What a host serves its extension: one handler for each kind of request, notice and stream.
///
/// ```swift
/// var service = HostService()
/// service.serve(Lookup.self) { lookup in Found(names: index[lookup.word]) }
/// service.serve(Fetch.self) { fetch in try await library.load(fetch.name) }
/// let session = try await host.begin("com.example.pictures.editor", serving: service)
/// ```
///
/// What a request holds is what a stranger says: a handler checks it as it would check a file from the network.
public struct HostService: Sendable {
    typealias Handler = @Sendable (consuming HostedRequest) -> Void

    private var requests: [UInt16: Handler] = [:]
    /// Each says why it could not read a notice.
    private var notices: [UInt16: @Sendable ([UInt8]) -> DecodingFailure?] = [:]
    private var streams: [UInt16: @Sendable (ChannelStream) -> Void] = [:]
    /// What is put into the channel's handlers before everything above.
    private var installer: (@Sendable (inout ChannelHandlers) -> Void)?

    public init() {}

    /// A service that takes what its extension sends by handlers of its own.
    package init(installing installer: @escaping @Sendable (inout ChannelHandlers) -> Void) {
        self.installer = installer
    }

    /// Serves a kind of request on the event loop's thread: the handler must not block. What it throws becomes the
    /// extension's failure, a `HandlerFailure` as it is, anything else by its text.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping @Sendable (Asked) throws -> Asked.Response
    ) {
        requests[Asked.method] = { request in
            guard let asked = Self.read(Asked.self, request.payload) else { return Self.unreadable(request) }
            Self.answer(request, Result { try handler(asked) })
        }
    }

    /// Serves a kind of request in a task of its own.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping @Sendable (Asked) async throws -> Asked.Response
    ) {
        requests[Asked.method] = { request in
            guard let asked = Self.read(Asked.self, request.payload) else { return Self.unreadable(request) }
            let held = HeldRequest(request)
            Task {
                let result: Result<Asked.Response, any Error>
                do { result = .success(try await handler(asked)) } catch { result = .failure(error) }
                if let request = held.take() { Self.answer(request, result) }
            }
        }
    }

    /// Serves a kind of request as the bytes that it came in, on the event loop's thread: the handler must not block. For
    /// extensions that encode by rules of their own.
    public mutating func serveRequests(
        _ method: UInt16, with handler: @escaping @Sendable (consuming HostedRequest) -> Void
    ) {
        requests[method] = handler
    }

    /// Takes a kind of notice, on the event loop's thread. An extension whose notice cannot be read breaks the protocol:
    /// its session ends it, as for an answer that cannot be read.
    public mutating func take<Notice: ChannelNotice>(
        _: Notice.Type, with handler: @escaping @Sendable (Notice) -> Void
    ) {
        notices[Notice.method] = { payload in
            do throws(DecodingFailure) {
                handler(try Notice(decoding: payload))
                return nil
            } catch {
                return error
            }
        }
    }

    /// Takes one-way messages of a method as the bytes that they came in, on the event loop's thread. For extensions that
    /// encode by rules of their own; the numbers of `ChannelNotice.method` hold here, too.
    public mutating func takeEvents(_ method: UInt16, with handler: @escaping @Sendable ([UInt8]) -> Void) {
        notices[method] = { payload in
            handler(payload)
            return nil
        }
    }

    /// Takes streams that the extension opens with this method, on the event loop's thread.
    public mutating func takeStreams(_ method: UInt16, with handler: @escaping @Sendable (ChannelStream) -> Void) {
        streams[method] = handler
    }

    /// Puts this service into a channel's handlers.
    public func install(in handlers: inout ChannelHandlers) {
        installer?(&handlers)
        if !requests.isEmpty {
            handlers.onRequest = { [requests] request in
                guard let handler = requests[request.method] else {
                    return request.fail(code: HandlerFailure.unknownMethodCode, text: "unknown method")
                }
                handler(request)
            }
        }
        if !notices.isEmpty {
            handlers.onEvent = { [notices, onEvent = handlers.onEvent, onUnreadable = handlers.onUnreadable] event in
                guard let take = notices[event.method] else { return onEvent(event) }
                if let failure = take(event.payload) { onUnreadable(event.method, failure) }
            }
        }
        guard !streams.isEmpty else { return }
        handlers.onStream = { [streams] stream in
            guard let handler = streams[stream.method] else {
                return stream.cancel(code: StreamFailure.refusedCode, text: "unknown method")
            }
            handler(stream)
        }
    }

    private static func read<Value: Message>(_: Value.Type, _ payload: [UInt8]) -> Value? {
        try? Value(decoding: payload)
    }

    private static func unreadable(_ request: consuming HostedRequest) {
        request.fail(code: HandlerFailure.unreadableCode, text: "the request cannot be read")
    }

    private static func answer(_ request: consuming HostedRequest, _ result: Result<some Message, any Error>) {
        let bytes: [UInt8]
        do {
            bytes = try result.get().encoded()
        } catch {
            let failure = HandlerFailure(describing: error)
            return request.fail(code: failure.code, text: failure.text)
        }
        // What is larger than a message may be, the reply itself tells the extension.
        try? request.reply(bytes)
    }
}

/// Carries a request to where it is answered.
package final class HeldRequest: Sendable {
    private let request: Mutex<HostedRequest?>

    package init(_ request: consuming HostedRequest) {
        self.request = Mutex(request)
    }

    package func take() -> HostedRequest? {
        request.withLock { $0.take() }
    }
}
