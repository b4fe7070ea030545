import AnnexTodayPage
import NIOCore
import NIOHTTP1

/// One connection of a browser. It collects a request, passes the request to the page of the Today view, and writes the
/// page's answer.
///
/// If a request does not come from the page, it is refused as soon as its head has arrived, and the connection is
/// closed. A browser opens only a few connections to one server. Because of this refusal, requests of other sites
/// cannot occupy all these connections.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The most bytes of a request's body. The forms of the page are small.
    private static let mostBytes = 4096
    /// How long a whole request may take to arrive, and how long the browser may take to accept each part of an answer.
    private static let patience = TimeAmount.seconds(10)

    private let page: TodayPage
    /// The task that closes the connection if no request is complete in time.
    private var deadline: Scheduled<Void>?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// Whether a request was refused and the connection is being closed. In that case, no more data from the connection
    /// is read.
    private var isRefused = false
    /// The number of requests whose answer is not written yet. There may be two such requests for a moment: the next
    /// request can be complete before the event `Answered` of the previous one arrives.
    private var unanswered = 0

    init(_ page: TodayPage) { self.page = page }

    // MARK: Requests

    func channelActive(context: ChannelHandlerContext) {
        awaitRequest(in: context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    private func awaitRequest(in context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.scheduleTask(in: Self.patience) { [channel = context.channel] in
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            if let refusal = page.refusal(of: request(head, in: context)) { refuse(refusal, in: context) }
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= Self.mostBytes else {
                return refuse(TodayPage.tooLong, in: context)
            }
            body += bytes.readableBytesView
        case .end:
            guard let head else { return }
            self.head = nil
            deadline?.cancel()
            unanswered += 1
            let request = request(head, in: context)
            answer(keepsAlive: head.isKeepAlive, in: context) { [page] in await page.answer(to: request) }
        }
    }

    private func request(_ head: HTTPRequestHead, in context: ChannelHandlerContext) -> PageRequest {
        PageRequest(
            port: context.localAddress?.port ?? 0, method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body)
    }

    /// Refuses a request. The rest of the request is not read.
    private func refuse(_ refusal: PageAnswer, in context: ChannelHandlerContext) {
        isRefused = true
        unanswered += 1
        answer(keepsAlive: false, in: context) { refusal }
    }

    private func answer(
        keepsAlive: Bool, in context: ChannelHandlerContext, with make: @escaping @Sendable () async -> PageAnswer
    ) {
        let channel = context.channel
        // The server pipeline reads the next request when this request is answered.
        let work: @Sendable () async -> Void = {
            await AnswerWriter(channel, keepsAlive: keepsAlive).write(await make(), within: Self.patience)
            channel.pipeline.fireUserInboundEventTriggered(Answered())
        }
        Task(operation: work)
    }

    /// The event that an answer was written.
    private struct Answered {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is Answered else { return context.fireUserInboundEventTriggered(event) }
        unanswered -= 1
        // An answer has no time limit as a whole, because a stream of events lasts as long as the page is open. So the
        // time limit for the next request begins only now.
        if unanswered == 0, context.channel.isActive { awaitRequest(in: context) }
    }

    // MARK: Ends

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Writes one answer to a connection. Any task may use it.
private struct AnswerWriter: Sendable {
    private let channel: any Channel
    private let keepsAlive: Bool

    init(_ channel: any Channel, keepsAlive: Bool) {
        self.channel = channel
        self.keepsAlive = keepsAlive
    }

    /// - Parameter limit: the time limit for each part. If the reader has not taken a part by then, the connection is
    ///   closed.
    func write(_ answer: PageAnswer, within limit: TimeAmount) async {
        var headers = HTTPHeaders(answer.headers.map { ($0.name, $0.value) })
        let status = HTTPResponseStatus(statusCode: answer.status)
        do {
            switch answer.body {
            case .whole(let bytes):
                headers.add(name: "Content-Length", value: "\(bytes.count)")
                if !keepsAlive { headers.add(name: "Connection", value: "close") }
                try await send(
                    .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), within: limit)
                try await send(.body(.byteBuffer(ByteBuffer(bytes: bytes))), within: limit)
                try await send(.end(nil), within: limit)
                if !keepsAlive { try await channel.close() }
            case .events(let events):
                try await send(
                    .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), within: limit)
                try await send(events, within: limit)
                try await channel.close()
            }
        } catch {
            channel.close(promise: nil)
        }
    }

    /// Sends events. This function returns when the stream ends or the connection is closed.
    private func send(_ events: AsyncStream<[UInt8]>, within limit: TimeAmount) async throws {
        let writing = Task {
            for await bytes in events { try await send(.body(.byteBuffer(ByteBuffer(bytes: bytes))), within: limit) }
        }
        channel.closeFuture.whenComplete { _ in writing.cancel() }
        try await writing.value
    }

    /// Sends a part, and returns when the kernel has taken it. So at most one part of each answer waits here.
    private func send(_ part: HTTPServerResponsePart, within limit: TimeAmount) async throws {
        let late = channel.eventLoop.scheduleTask(in: limit) { [channel] in channel.close(promise: nil) }
        defer { late.cancel() }
        try await channel.writeAndFlush(part)
    }
}
