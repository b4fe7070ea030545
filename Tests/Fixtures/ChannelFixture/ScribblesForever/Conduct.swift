import AnnexChannel

/// The honest part of the extension. It answers with the bytes of the request, and hands over memory if the request
/// accepts some. It also calls its host and accepts streams.
final class Conduct {
    private let answersFirst: Int
    private var start: (() -> Void)?
    private var answered = 0
    private var streams: [ExtensionStream] = []

    init(answersFirst: Int, _ start: @escaping () -> Void) {
        self.answersFirst = answersFirst
        self.start = start
    }

    func serve(_ endpoint: borrowing ExtensionEndpoint) throws {
        if answersFirst == 0 { begin() }
        endpoint.handleStreams { [self] in streams.append($0) }
        try endpoint.sayHello()
        while true {
            guard let incoming = try endpoint.next() else { continue }
            if case .request(let request) = consume incoming { try answer(request, endpoint) }
            if answered == answersFirst { begin() }
        }
    }

    private func begin() {
        start?()
        start = nil
    }

    private func answer(_ request: consuming IncomingRequest, _ endpoint: borrowing ExtensionEndpoint) throws {
        answered += 1
        let payload = request.payload
        switch request.method {
        case 2:
            var pieces = SealedPieces()
            if request.accepts.pieces > 0 { pieces.append(try SealedMemory(copying: payload + [1])) }
            try request.reply(payload, sealed: pieces)
        case 3: try request.reply(endpoint.callAndWait(9, payload: payload, timeout: .milliseconds(20)))
        case 4:
            for stream in streams { try stream.sendAndWait(payload) }
            if streams.count > 4 { streams.removeFirst() }
            try request.reply()
        default: try request.reply(payload)
        }
    }
}
