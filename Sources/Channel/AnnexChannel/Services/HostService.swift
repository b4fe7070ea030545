internal import AnnexMessages
internal import Synchronization

/// A host's service for its extension: one handler for each kind of request, notice and stream.
///
/// ```swift
/// var service = HostService()
/// service.serve(Lookup.self) { lookup in Found(names: index[lookup.word]) }
/// service.serve(Fetch.self) { fetch in try await library.load(fetch.name) }
/// let session = try await host.begin("com.example.pictures.editor", serving: service)
/// ```
///
/// A request's content comes from untrusted code. A handler must check the content as strictly as a file from the
/// network.
public struct HostService: Sendable {
    typealias Handler = @Sendable (consuming HostedRequest) -> Void

    private var register = MethodRegister()
    private var requests: [UInt16: Handler] = [:]
    /// Each handler returns the reason why a notice could not be decoded, or nil if the notice was decoded.
    private var notices: [UInt16: @Sendable ([UInt8]) -> DecodingFailure?] = [:]
    private var streams: [UInt16: @Sendable (ChannelStream) -> Void] = [:]
    /// Changes a channel's handlers at the start of `install(in:)`, before that method sets the handlers for this
    /// service's requests, notices and streams.
    private var installer: (@Sendable (inout ChannelHandlers) -> Void)?

    public init() {}

    /// Creates a service without requests, notices and streams of its own. The closure sets the channel's handlers.
    package init(installing installer: @escaping @Sendable (inout ChannelHandlers) -> Void) {
        self.installer = installer
    }

    /// Whether the service also answers requests whose methods Annex reserves for itself. The replay of a recording
    /// uses such a service.
    package var answersEverything: Bool { installer != nil }

    /// Serves one kind of request on the event loop's thread; the handler must not block. If the handler throws, the
    /// extension gets a failure. A `HandlerFailure` is sent unchanged. For any other error, the failure has the error's
    /// text.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping @Sendable (Asked) throws -> Asked.Response
    ) {
        register.add(.request, method: Asked.method, for: Asked.self)
        requests[Asked.method] = { request in
            guard let asked = Self.read(Asked.self, from: request.payload) else { return Self.unreadable(request) }
            Self.answer(request, with: Result { try handler(asked) })
        }
    }

    /// Serves one kind of request. The handler runs in a separate task for each request.
    public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping @Sendable (Asked) async throws -> Asked.Response
    ) {
        register.add(.request, method: Asked.method, for: Asked.self)
        requests[Asked.method] = { request in
            guard let asked = Self.read(Asked.self, from: request.payload) else { return Self.unreadable(request) }
            let held = HeldRequest(request)
            Task {
                let result: Result<Asked.Response, any Error>
                do { result = .success(try await handler(asked)) } catch { result = .failure(error) }
                if let request = held.take() { Self.answer(request, with: result) }
            }
        }
    }

    /// Serves one kind of request as undecoded bytes, on the event loop's thread; the handler must not block. Use this
    /// for extensions that use their own encoding.
    public mutating func serveRequests(
        _ method: UInt16, with handler: @escaping @Sendable (consuming HostedRequest) -> Void
    ) {
        register.add(.request, method: method, for: nil)
        requests[method] = handler
    }

    /// Handles one kind of notice on the event loop's thread. If a notice cannot be decoded, the extension has violated
    /// the protocol. The session then ends the extension, as after an answer that cannot be decoded.
    public mutating func handle<Notice: ChannelNotice>(
        _: Notice.Type, with handler: @escaping @Sendable (Notice) -> Void
    ) {
        register.add(.notice, method: Notice.method, for: Notice.self)
        notices[Notice.method] = { payload in
            do throws(DecodingFailure) {
                handler(try Notice(decoding: payload))
                return nil
            } catch {
                return error
            }
        }
    }

    /// Handles one-way messages of a method as undecoded bytes, on the event loop's thread. Use this for extensions
    /// that use their own encoding. Annex reserves the numbers that `ChannelNotice.method` names.
    public mutating func handleEvents(_ method: UInt16, with handler: @escaping @Sendable ([UInt8]) -> Void) {
        register.add(.notice, method: method, for: nil)
        notices[method] = { payload in
            handler(payload)
            return nil
        }
    }

    /// Handles streams that the extension opens with this method, on the event loop's thread.
    public mutating func handleStreams(_ method: UInt16, with handler: @escaping @Sendable (ChannelStream) -> Void) {
        register.add(.stream, method: method, for: nil)
        streams[method] = handler
    }

    /// Handles one kind of typed stream that the extension opens, in a task for each stream. The handler sends and
    /// reads, and calls `finish` when it has sent everything. If the handler throws a `HandlerFailure`, the stream is
    /// reset with the code and text of that failure. For any other error, the stream is reset with the error's text.
    ///
    /// If the stream's arguments cannot be decoded, the extension has violated the protocol, as with a notice that
    /// cannot be decoded.
    public mutating func handleStreams<Kind: ChannelStreamKind>(
        _: Kind.Type, with handler: @escaping @Sendable (TypedChannelStream<Kind>) async throws -> Void
    ) {
        register.add(.stream, method: Kind.method, for: Kind.self)
        streams[Kind.method] = TypedChannelStream<Kind>.accepting(with: handler)
    }

    /// Adds this service to a channel's handlers.
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
                guard let handler = notices[event.method] else { return onEvent(event) }
                if let failure = handler(event.payload) { onUnreadable(event.method, failure) }
            }
        }
        guard !streams.isEmpty else { return }
        handlers.onStream = { [streams] stream in
            guard let handler = streams[stream.method] else {
                return stream.cancel(code: StreamFailure.rejectedCode, text: "unknown method")
            }
            handler(stream)
        }
    }

    private static func read<Value: Message>(_: Value.Type, from payload: [UInt8]) -> Value? {
        try? Value(decoding: payload)
    }

    private static func unreadable(_ request: consuming HostedRequest) {
        request.fail(code: HandlerFailure.unreadableCode, text: "the request cannot be read")
    }

    private static func answer(_ request: consuming HostedRequest, with result: Result<some Message, any Error>) {
        let bytes: [UInt8]
        do {
            bytes = try result.get().encoded()
        } catch {
            let failure = HandlerFailure(describing: error)
            return request.fail(code: failure.code, text: failure.text)
        }
        // If the response is too large, `reply` sends the extension a failure.
        try? request.reply(bytes)
    }
}

/// Carries a noncopyable request into the task that answers it.
package final class HeldRequest: Sendable {
    private let request: Mutex<HostedRequest?>

    package init(_ request: consuming HostedRequest) {
        self.request = Mutex(request)
    }

    package func take() -> HostedRequest? {
        request.withLock { $0.take() }
    }
}
