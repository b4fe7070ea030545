package import AnnexMessages

/// A message from the agent to the broker. No descriptors travel with it.
package enum TransferNews: Message, Hashable {
    /// Which addresses has this server? The agent asks before each connection, also after a redirect.
    case lookUp(TransferQuestion)
    /// Bytes have moved. At most ten such messages a second concern one task.
    case progress(TransferProgress)
    /// A download's answer has begun. The broker stores the validator: if the agent is killed, the next attempt resumes.
    case response(TransferResponse)
    /// The attempt is over. The agent has closed the job's descriptors.
    case ended(TransferEnd)

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .lookUp(let question): encoder.encode(question, as: 1)
        case .progress(let progress): encoder.encode(progress, as: 2)
        case .response(let response): encoder.encode(response, as: 3)
        case .ended(let end): encoder.encode(end, as: 4)
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        let question = try decoder.decodeIfPresent(1, as: TransferQuestion.self)
        let progress = try decoder.decodeIfPresent(2, as: TransferProgress.self)
        let response = try decoder.decodeIfPresent(3, as: TransferResponse.self)
        let end = try decoder.decodeIfPresent(4, as: TransferEnd.self)
        switch (question, progress, response, end) {
        case (let question?, nil, nil, nil): self = .lookUp(question)
        case (nil, let progress?, nil, nil): self = .progress(progress)
        case (nil, nil, let response?, nil): self = .response(response)
        case (nil, nil, nil, let end?): self = .ended(end)
        default: throw decoder.failure(1, reason: .rejected("is not exactly one piece of news"))
        }
    }
}

/// A question for the addresses of a server.
package struct TransferQuestion: Message, Hashable {
    /// The number that the answer repeats.
    package let question: UInt64
    package let key: TransferKey
    /// The server's name in lower case, or its numeric address.
    package let host: String
    package let port: UInt16
    /// How many redirects led to this server. 0 is the server that the job's URL names.
    package let redirects: UInt8

    package init(question: UInt64, key: TransferKey, host: String, port: UInt16, redirects: UInt8) {
        self.question = question
        self.key = key
        self.host = host
        self.port = port
        self.redirects = redirects
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(question, as: 1)
        encoder.encode(key, as: 2)
        encoder.encode(host, as: 3)
        encoder.encode(port, as: 4)
        encoder.encode(redirects, as: 5)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        question = try decoder.decode(1)
        key = try decoder.decode(2)
        host = try decoder.decode(3)
        port = try decoder.decode(4)
        redirects = try decoder.decode(5)
        guard Self.isHost(host), port > 0, redirects <= TransferLimits.redirects else {
            throw decoder.failure(3, reason: .rejected("is no name of a server with its port"))
        }
    }

    /// Whether a text is a server's name or address in the one form that both ends use: lower case, in ASCII, without
    /// brackets, without a hyphen at its start and without a dot at the end.
    package static func isHost(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7a, 0x2d, 0x2e, 0x3a, 0x5f: true
            default: false
            }
        }
        return isPlain && (1...TransferLimits.host).contains(text.utf8.count) && !text.hasSuffix(".")
            && !text.hasPrefix("-")
    }
}

/// How far an attempt has come.
package struct TransferProgress: Message, Hashable {
    package let key: TransferKey
    /// The bytes of the request's body that were sent, with the lines between the parts of a form.
    package let sent: UInt64
    /// The bytes of the whole file that the destination has, with those before the offset.
    package let received: UInt64
    /// The size of the whole body that is sent or received; nil if it is not known.
    package let expected: UInt64?

    package init(key: TransferKey, sent: UInt64, received: UInt64, expected: UInt64?) {
        self.key = key
        self.sent = sent
        self.received = received
        self.expected = expected
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(key, as: 1)
        encoder.encode(sent, as: 2)
        encoder.encode(received, as: 3)
        encoder.encode(expected, as: 4)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        key = try decoder.decode(1)
        sent = try decoder.decode(2)
        received = try decoder.decode(3)
        expected = try decoder.decodeIfPresent(4)
        try decoder.checkSizes([sent, received, expected])
    }
}

/// The beginning of a download's answer.
package struct TransferResponse: Message, Hashable {
    package let key: TransferKey
    /// The offset of the first byte that this attempt writes: the job's offset, or 0 after the destination was emptied.
    package let offset: UInt64
    /// What the destination's bytes belong to; nil if the server gave nothing by which a later attempt could resume.
    package let validator: TransferValidator?
    /// The size of the whole file; nil if it is not known.
    package let expected: UInt64?

    package init(key: TransferKey, offset: UInt64, validator: TransferValidator?, expected: UInt64?) {
        self.key = key
        self.offset = offset
        self.validator = validator
        self.expected = expected
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(key, as: 1)
        encoder.encode(offset, as: 2)
        encoder.encode(validator, as: 3)
        encoder.encode(expected, as: 4)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        key = try decoder.decode(1)
        offset = try decoder.decode(2)
        validator = try decoder.decodeIfPresent(3)
        expected = try decoder.decodeIfPresent(4)
        try decoder.checkSizes([offset, expected])
    }
}

extension MessageDecoder {
    /// Refuses numbers of bytes that no file can have. Readers then add such numbers without an overflow.
    func checkSizes(_ sizes: [UInt64?]) throws(DecodingFailure) {
        guard sizes.allSatisfy({ $0 ?? 0 <= UInt64(Int64.max) }) else {
            throw failure(2, reason: .rejected("is a number of bytes that no file can have"))
        }
    }
}
