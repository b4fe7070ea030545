package import AnnexMessages

/// How an attempt ended.
package struct TransferEnd: Message, Hashable {
    package let key: TransferKey
    /// The bytes of the request's body that were sent in the last exchange of the attempt.
    package let sent: UInt64
    /// The bytes of the whole file that the destination has.
    package let received: UInt64
    /// The server's last answer; nil if there was none.
    package let answer: TransferAnswer?
    /// Why the attempt failed. Nil if the server's answer arrived whole, whatever its status is.
    package let error: TransferError?
    /// Whether and when a further attempt makes sense.
    package let retry: TransferRetry
    /// What the received bytes belong to, for an attempt that resumes; nil if the next attempt has to begin at 0.
    package let validator: TransferValidator?

    package init(
        key: TransferKey, sent: UInt64, received: UInt64, answer: TransferAnswer?, error: TransferError?,
        retry: TransferRetry, validator: TransferValidator?
    ) {
        self.key = key
        self.sent = sent
        self.received = received
        self.answer = answer
        self.error = error
        self.retry = retry
        self.validator = validator
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(key, as: 1)
        encoder.encode(sent, as: 2)
        encoder.encode(received, as: 3)
        encoder.encode(answer, as: 4)
        encoder.encode(error, as: 5)
        encoder.encode(retry, as: 6)
        encoder.encode(validator, as: 7)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        key = try decoder.decode(1)
        sent = try decoder.decode(2)
        received = try decoder.decode(3)
        answer = try decoder.decodeIfPresent(4)
        error = try decoder.decodeIfPresent(5)
        retry = try decoder.decode(6)
        validator = try decoder.decodeIfPresent(7)
        try decoder.checkSizes([sent, received])
        guard answer != nil || error != nil else {
            throw decoder.failure(5, reason: .rejected("is neither an answer nor an error"))
        }
    }
}

/// A server's answer, without the bytes that went to a destination.
package struct TransferAnswer: Message, Hashable {
    package let status: UInt16
    /// The header lines as the server sent them, each with its line feed, and only whole lines.
    package let headers: [UInt8]
    /// Whether further header lines were left out.
    package let headersWereCut: Bool
    /// The answer's body. A download whose status is a success has its body in the destination, and none here.
    package let body: [UInt8]
    /// Whether further bytes of the body were left out.
    package let bodyWasCut: Bool

    package init(
        status: UInt16, headers: [UInt8], headersWereCut: Bool = false, body: [UInt8] = [], bodyWasCut: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.headersWereCut = headersWereCut
        self.body = body
        self.bodyWasCut = bodyWasCut
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(status, as: 1)
        encoder.encode(headers, as: 2)
        encoder.encode(headersWereCut, as: 3)
        encoder.encode(body, as: 4)
        encoder.encode(bodyWasCut, as: 5)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        status = try decoder.decode(1)
        headers = try decoder.decode(2)
        headersWereCut = try decoder.decode(3)
        body = try decoder.decode(4)
        bodyWasCut = try decoder.decode(5)
        guard (100...999).contains(status) else { throw decoder.failure(1, reason: .rejected("is no status")) }
        guard headers.count <= TransferLimits.answerHeaders, body.count <= TransferLimits.answerBody else {
            throw decoder.failure(2, reason: .rejected("is an answer of more than 16 KiB of headers and 64 KiB"))
        }
    }
}

/// Whether a further attempt at the same task makes sense.
package enum TransferRetry: FieldValue, Hashable {
    /// A further attempt would end in the same way.
    case never
    /// The broker chooses the time.
    case later
    /// The server named the time, in seconds.
    case after(UInt32)

    package func write(to encoder: inout MessageEncoder) {
        switch self {
        case .never: encoder.append(Int64(-2))
        case .later: encoder.append(Int64(-1))
        case .after(let seconds): encoder.append(Int64(seconds))
        }
    }

    package init(reading field: inout FieldReader) throws(DecodingFailure) {
        switch try field.integer(Int64.self) {
        case -2: self = .never
        case -1: self = .later
        case let seconds:
            guard let seconds = UInt32(exactly: seconds), seconds <= TransferLimits.longestSeconds else {
                throw field.failure(.rejected("is no time to wait of at most seven days"))
            }
            self = .after(seconds)
        }
    }
}
