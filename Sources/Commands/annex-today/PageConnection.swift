import AnnexTodayPage
import NIOCore
import NIOHTTP1

/// One connection of a browser: collects a request, has it answered, and writes the answer.
final class PageConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    static let idleName = "idle"
    /// The forms of the page are small.
    private static let mostBytes = 4096
    /// A reader that takes longer for what was written is gone.
    private static let patience = TimeAmount.seconds(30)

    private let page: TodayPage
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// The connection is being closed, and nothing more of it is read.
    private var isRefused = false

    init(_ page: TodayPage) { self.page = page }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let bytes):
            guard body.count + bytes.readableBytes <= Self.mostBytes else { return refuse(context) }
            body += bytes.readableBytesView
        case .end:
            guard let head else { return }
            self.head = nil
            answer(head, in: context)
        }
    }

    /// The request is too long, and what follows of it is not read.
    private func refuse(_ context: ChannelHandlerContext) {
        isRefused = true
        let head = HTTPResponseHead(
            version: .http1_1, status: .payloadTooLarge, headers: ["Content-Length": "0", "Connection": "close"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }

    private func answer(_ head: HTTPRequestHead, in context: ChannelHandlerContext) {
        let request = PageRequest(
            port: context.localAddress?.port ?? 0, method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { ($0.name, $0.value) },
            body: body)
        let writer = AnswerWriter(context.channel, keepsAlive: head.isKeepAlive)
        // A server pipeline reads the next request when this one is answered.
        let work: @Sendable () async -> Void = { [page] in
            await writer.write(await page.answer(to: request), within: Self.patience)
        }
        Task(operation: work)
    }

    // MARK: Ends

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Writes one answer to a connection, from any task.
private struct AnswerWriter: Sendable {
    private let channel: any Channel
    private let keepsAlive: Bool

    init(_ channel: any Channel, keepsAlive: Bool) {
        self.channel = channel
        self.keepsAlive = keepsAlive
    }

    /// - Parameter limit: for each part. A reader that has not taken a part then is cut off.
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
                // The reader is silent from now on.
                try? await channel.pipeline.removeHandler(name: PageConnection.idleName).get()
                try await send(
                    .head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)), within: limit)
                try await send(events, within: limit)
                try await channel.close()
            }
        } catch {
            channel.close(promise: nil)
        }
    }

    /// Ends with the stream, or with the connection.
    private func send(_ events: AsyncStream<[UInt8]>, within limit: TimeAmount) async throws {
        let writing = Task {
            for await bytes in events { try await send(.body(.byteBuffer(ByteBuffer(bytes: bytes))), within: limit) }
        }
        channel.closeFuture.whenComplete { _ in writing.cancel() }
        try await writing.value
    }

    /// Returns when the kernel has taken the part. So at most one part of each answer waits here.
    private func send(_ part: HTTPServerResponsePart, within limit: TimeAmount) async throws {
        let late = channel.eventLoop.scheduleTask(in: limit) { [channel] in channel.close(promise: nil) }
        defer { late.cancel() }
        try await channel.writeAndFlush(part)
    }
}
