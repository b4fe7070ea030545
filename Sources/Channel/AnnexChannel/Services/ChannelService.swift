public import AnnexMessages

/// An extension's service: one handler for each kind of request and notice.
///
/// ```swift
/// @main enum Resizer {
///     static func main() throws {
///         var service = ChannelService()
///         service.serve(Resize.self) { request in Resized(image: try scale(request.image, to: request.width)) }
///         try service.run()
///     }
/// }
/// ```
public struct ChannelService: ~Copyable {
    enum Handler {
        /// The handler answers before it returns.
        case answering((RawSpan, inout MessageEncoder) throws -> Void)
        /// The handler may answer after it returns.
        case deferring((consuming IncomingRequest) throws(ExtensionFailure) -> Void)
        case noticing((RawSpan) throws(DecodingFailure) -> Void)

        var answersAtOnce: Bool {
            if case .answering = self { true } else { false }
        }
    }

    private var register = MethodRegister()
    private var requests = HandlerTable()
    private var notices: [UInt16: Handler] = [:]
    private var streams: [UInt16: (ExtensionStream) -> Void] = [:]
    /// Receives the host's events about the extension's life.
    private var onLifeEvent: ((UInt16) -> Void)?

    public init() {}

    /// Serves one kind of request. If the handler throws, the caller gets a failure. A `HandlerFailure` is sent
    /// unchanged. For any other error, the failure has the error's text.
    @inlinable public mutating func serve<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping (Asked) throws -> Asked.Response
    ) {
        answer(Asked.self) { bytes, encoder in
            let request: Asked
            do throws(DecodingFailure) {
                request = try Asked(decoding: bytes)
            } catch {
                throw HandlerFailure(code: HandlerFailure.unreadableCode, text: "\(error)")
            }
            try handler(request).encode(into: &encoder)
        }
    }

    @usableFromInline mutating func answer<Asked: ChannelRequest>(
        _: Asked.Type, with body: @escaping (RawSpan, inout MessageEncoder) throws -> Void
    ) {
        register.add(.request, method: Asked.method, for: Asked.self)
        requests[Asked.method] = .answering(body)
    }

    /// Serves one kind of request whose response may not be ready when the handler returns.
    ///
    /// This function has a name of its own. If it were a form of `serve`, the compiler would take a mistake in the handler
    /// of `serve` for an attempt to call this function.
    public mutating func serveLater<Asked: ChannelRequest>(
        _: Asked.Type, with handler: @escaping (Asked, consuming PendingResponse<Asked.Response>) -> Void
    ) {
        deferAnswer(to: Asked.self) { (asked: Asked, request: consuming IncomingRequest) throws(ExtensionFailure) in
            handler(asked, PendingResponse(request))
        }
    }

    mutating func deferAnswer<Asked: ChannelRequest>(
        to _: Asked.Type, _ body: @escaping (Asked, consuming IncomingRequest) throws(ExtensionFailure) -> Void
    ) {
        register.add(.request, method: Asked.method, for: Asked.self)
        requests[Asked.method] = .deferring { (request: consuming IncomingRequest) throws(ExtensionFailure) in
            let asked: Asked
            do throws(DecodingFailure) {
                asked = try Asked(decoding: request.payload)
            } catch {
                return try request.fail(code: HandlerFailure.unreadableCode, text: "\(error)")
            }
            try body(asked, request)
        }
    }

    /// Serves the requests that carry items.
    package mutating func serveItems(
        with handler: @escaping (consuming IncomingRequest) throws(ExtensionFailure) -> Void
    ) {
        requests[ReservedMethods.items] = .deferring(handler)
    }

    /// Handles one kind of notice. A notice that cannot be decoded is dropped, because no caller waits for an answer.
    public mutating func handle<Notice: ChannelNotice>(_: Notice.Type, with handler: @escaping (Notice) -> Void) {
        register.add(.notice, method: Notice.method, for: Notice.self)
        notices[Notice.method] = .noticing { (bytes) throws(DecodingFailure) in
            handler(try Notice(decoding: bytes))
        }
    }

    /// Handles streams that the host opens with this method. The handler runs while this thread waits on the channel.
    /// The stream stays open as long as the handler's code keeps a reference. A stream whose method has no handler is
    /// reset.
    public mutating func handleStreams(_ method: UInt16, with handler: @escaping (ExtensionStream) -> Void) {
        handleStreams(of: method, for: nil, with: handler)
    }

    /// - Parameter type: the kind of typed streams; nil for streams of bytes.
    mutating func handleStreams(
        of method: UInt16, for type: Any.Type?, with handler: @escaping (ExtensionStream) -> Void
    ) {
        register.add(.stream, method: method, for: type)
        streams[method] = handler
    }

    /// Handles the host's warning that four fifths of the memory limit are in use. The handler should release memory
    /// whose contents the extension can compute again.
    ///
    /// The handler runs between two requests, or inside `isCancelled` of a handler's context.
    public mutating func handleMemoryWarning(with handler: @escaping () -> Void) {
        handleLifeEvents { event in if event == ChannelEvent.memoryWarning { handler() } }
    }

    /// Handles the host's events about the extension's life. Handlers that were registered earlier also run; they run
    /// before this handler.
    package mutating func handleLifeEvents(with handler: @escaping (_ event: UInt16) -> Void) {
        let others = onLifeEvent
        onLifeEvent = { event in
            others?(event)
            handler(event)
        }
    }

    /// Adopts the process's channel, sends the hello and serves until the host sends the goodbye or closes the channel.
    public consuming func run(waiting: WaitingStyle = .adaptive) throws(ExtensionFailure) {
        let endpoint = try ExtensionEndpoint.adopt(waiting: waiting)
        try endpoint.sayHello()
        try serve(endpoint)
    }

    /// Serves a channel until the host sends the goodbye or closes the channel. A handler may call the host through the
    /// same endpoint.
    ///
    /// The goodbye cancels the tasks that work on requests and streams. This function returns when these tasks have
    /// ended.
    public borrowing func serve(_ endpoint: borrowing ExtensionEndpoint) throws(ExtensionFailure) {
        let core = endpoint.core
        prepare(core)
        // Both closures hold handlers of the service, and a handler may hold the core. Clearing the closures breaks
        // such a reference cycle.
        defer { (core.onLifeEvent, core.onStream) = (nil, nil) }
        var encoder = MessageEncoder()
        let buffer = RequestBuffer(capacity: core.largestRequest)
        var isOver = false
        do throws(ExtensionFailure) {
            while true {
                core.tasks.runReady()
                // The last task may just have ended. The loop checks this before it waits, because perhaps no further
                // frame comes.
                if isOver, core.working.isEmpty { break }
                try answerPlainRequests(from: core, buffer: buffer, encoder: &encoder)
                guard let incoming = try core.nextIfAny() else { continue }
                switch consume incoming {
                case .request(let request): try answer(request, encoder: &encoder)
                case .event(let event) where event.method == ChannelEvent.goodbye:
                    isOver = true
                    core.cancelTasks()
                case .event(let event): notice(event)
                }
            }
        } catch {
            if error != .ended { throw error }
        }
    }

    private func prepare(_ core: ExtensionCore) {
        core.onLifeEvent = onLifeEvent
        guard !streams.isEmpty else { return }
        core.onStream = { [streams] stream in
            if let handler = streams[stream.method] { return handler(stream) }
            // If the host is gone, the stream needs no reset.
            try? stream.cancel(code: StreamFailure.rejectedCode, text: "unknown method")
        }
    }

    /// Answers requests that carry no descriptors and whose handler answers at once. Such a request needs no object and
    /// no allocation. If there is no frame, waits for a frame. Returns when a frame of a different kind comes.
    private func answerPlainRequests(
        from core: ExtensionCore, buffer: borrowing RequestBuffer, encoder: inout MessageEncoder
    ) throws(ExtensionFailure) {
        while let header = try core.nextPlainRequest(into: buffer, if: { requests[$0]?.answersAtOnce ?? false }) {
            guard case .answering(let handler) = requests[header.method] else { return }
            encoder.reset()
            do {
                try buffer.read(header.length) { bytes throws in try handler(bytes, &encoder) }
                try core.reply(to: header, encoder)
            } catch {
                let failure = HandlerFailure(describing: error)
                try core.fail(header.call, method: header.method, code: failure.code, text: failure.text)
            }
        }
    }

    private func notice(_ event: ChannelEvent) {
        if let onLifeEvent, ChannelEvent.lifeEvents.contains(event.method) { return onLifeEvent(event.method) }
        guard case .noticing(let handler) = notices[event.method] else { return }
        try? unsafe handler(event.payload.span.bytes)
    }

    private func answer(
        _ request: consuming IncomingRequest, encoder: inout MessageEncoder
    ) throws(ExtensionFailure) {
        switch requests[request.method] {
        case .deferring(let handler): try handler(request)
        case .answering(let handler):
            encoder.reset()
            do {
                try unsafe handler(request.payload.span.bytes, &encoder)
            } catch {
                let failure = HandlerFailure(describing: error)
                return try request.fail(code: failure.code, text: failure.text)
            }
            try reply(to: request, encoder: encoder)
        case .noticing, nil: try request.fail(code: HandlerFailure.unknownMethodCode, text: "unknown method")
        }
    }

    private func reply(
        to request: consuming IncomingRequest, encoder: borrowing MessageEncoder
    ) throws(ExtensionFailure) {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try encoder.copied(atMost: request.largestPayload)
        } catch {
            return try request.fail(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(error)")
        }
        try request.reply(bytes)
    }
}

/// The handlers by method. A lookup of a small method number, the usual case, needs no hashing.
struct HandlerTable {
    private static let direct = 256

    private var small: [ChannelService.Handler?] = []
    private var others: [UInt16: ChannelService.Handler] = [:]

    subscript(_ method: UInt16) -> ChannelService.Handler? {
        get {
            let place = Int(method)
            return place < small.count ? small[place] : others[method]
        }
        set {
            let place = Int(method)
            guard place < HandlerTable.direct else { return others[method] = newValue }
            if small.count <= place {
                small += [ChannelService.Handler?](repeating: nil, count: place + 1 - small.count)
            }
            small[place] = newValue
        }
    }
}

/// The answer to one of the host's requests, which the extension may send after its handler has returned. The answer is
/// sent at most once, because this value cannot be copied. If this value is dropped without an answer, the caller gets
/// a failure.
public struct PendingResponse<Response: Message>: ~Copyable {
    private let request: IncomingRequest

    init(_ request: consuming IncomingRequest) {
        self.request = request
    }

    /// Whether the caller has cancelled the request or the request's timeout has passed. This method reads the channel,
    /// so code that works for long should call this method from time to time.
    public func isCancelled() throws(ExtensionFailure) -> Bool {
        try request.isCancelled()
    }

    /// How long the caller still waits; nil if the wait has no limit.
    public var timeLeft: Duration? { request.timeLeft }

    /// Sends the response. If the response exceeds the encoding's limits, the caller gets a failure instead.
    public consuming func send(_ response: Response) throws(ExtensionFailure) {
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try response.encoded(within: .standard)
        } catch {
            return try request.fail(code: HandlerFailure.tooLargeCode, text: "the response is too large: \(error)")
        }
        let most = request.largestPayload
        guard bytes.count <= most else {
            return try request.fail(
                code: HandlerFailure.tooLargeCode,
                text: "the response is too large: \(bytes.count) bytes, at most \(most) go through this channel")
        }
        try request.reply(bytes)
    }

    /// Answers with a failure.
    public consuming func fail(_ failure: HandlerFailure) throws(ExtensionFailure) {
        try request.fail(code: failure.code, text: failure.text)
    }
}
