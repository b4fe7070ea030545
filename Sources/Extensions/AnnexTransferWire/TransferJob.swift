package import AnnexMessages

/// One attempt at one task. Every message about a task names the attempt, so that late news of an earlier attempt are not
/// taken for news of the current one.
package struct TransferKey: Message, Hashable {
    package let task: UInt64
    package let attempt: UInt32

    package init(task: UInt64, attempt: UInt32) {
        self.task = task
        self.attempt = attempt
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(task, as: 1)
        encoder.encode(attempt, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        task = try decoder.decode(1)
        attempt = try decoder.decode(2)
    }
}

/// The methods of HTTP that a transfer may use. A download uses GET, and an upload uses one of the others.
package enum TransferMethod: UInt8, FieldValue, Hashable, CaseIterable {
    case get = 1
    case post, put, patch

    package var name: String {
        switch self {
        case .get: "GET"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        }
    }
}

/// How long the agent waits in one attempt.
package struct TransferPatience: Message, Hashable {
    /// Seconds until a connection is made.
    package let connecting: UInt32
    /// Seconds in which no byte per second moves. The attempt then ends as `tooSlow`.
    package let idle: UInt32
    /// Seconds for the whole attempt, from its first request on.
    package let whole: UInt32

    package init(connecting: UInt32 = 60, idle: UInt32 = 60, whole: UInt32 = TransferLimits.longestSeconds) {
        self.connecting = connecting
        self.idle = idle
        self.whole = whole
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(connecting, as: 1)
        encoder.encode(idle, as: 2)
        encoder.encode(whole, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        connecting = try decoder.decode(1)
        idle = try decoder.decode(2)
        whole = try decoder.decode(3)
    }

    fileprivate var problem: StaticText? {
        let allowed = 1...TransferLimits.longestSeconds
        guard allowed.contains(connecting), allowed.contains(idle), allowed.contains(whole) else {
            return "is a time limit of 0 seconds or of more than seven days"
        }
        return nil
    }
}

/// What the broker asks the agent to do. The descriptors travel beside the message, in the order that `TransferWork` gives.
/// The agent gets no path, and holds nothing but the files of its jobs.
package struct TransferJob: Message, Hashable {
    package let key: TransferKey
    package let method: TransferMethod
    /// The absolute URL, in ASCII: a name with other letters in its form `xn--`, and other bytes as `%XX`.
    package let url: String
    package let headers: [TransferHeader]
    package let patience: TransferPatience
    /// Whether the job begins only if no other job waits.
    package let isDiscretionary: Bool
    package let work: TransferWork

    package init(
        key: TransferKey, method: TransferMethod, url: String, headers: [TransferHeader] = [],
        patience: TransferPatience = TransferPatience(), isDiscretionary: Bool = false, work: TransferWork
    ) {
        self.key = key
        self.method = method
        self.url = url
        self.headers = headers
        self.patience = patience
        self.isDiscretionary = isDiscretionary
        self.work = work
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(key, as: 1)
        encoder.encode(method, as: 2)
        encoder.encode(url, as: 3)
        encoder.encode(list: headers, as: 4)
        encoder.encode(patience, as: 5)
        encoder.encode(isDiscretionary, as: 6)
        encoder.encode(work, as: 7)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        key = try decoder.decode(1)
        method = try decoder.decode(2)
        url = try decoder.decode(3)
        headers = try decoder.decodeList(4)
        patience = try decoder.decode(5)
        isDiscretionary = try decoder.decode(6)
        work = try decoder.decode(7)
        if let problem { throw decoder.failure(problem.tag, reason: .rejected(problem.text)) }
    }

    /// The rule that this job breaks, with the tag of the field; nil if the job is sound. The broker asks this before it
    /// stores a task, and both ends ask it for every job that they send or receive.
    package var problem: (tag: UInt16, text: StaticText)? {
        guard (1...TransferLimits.url).contains(url.utf8.count), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return (3, "is no URL of at most 8,192 printable ASCII characters") }
        if let text = headers.problem { return (4, text) }
        if let text = patience.problem { return (5, text) }
        guard work.isDownload == (method == .get) else { return (2, "is no method for this work") }
        return work.problem.map { (7, $0) }
    }
}

/// A header that the caller adds to a request.
package struct TransferHeader: Message, Hashable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(name, as: 1)
        encoder.encode(value, as: 2)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        name = try decoder.decode(1)
        value = try decoder.decode(2)
    }

    /// Headers that the agent writes itself, or that would change where a message ends or where it goes.
    package static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "cookie", "cookie2", "expect", "host", "http2-settings",
        "if-range", "keep-alive", "proxy-authorization", "proxy-connection", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    fileprivate var problem: StaticText? {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken) else { return "has a header whose name is no token" }
        guard value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7e).contains($0) || $0 >= 0x80 }) else {
            return "has a header whose value holds a control character"
        }
        guard !Self.reserved.contains(name.lowercased()) else { return "has a header that only the agent may set" }
        return nil
    }

    /// Whether a byte may be part of a token, by the grammar of HTTP.
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension [TransferHeader] {
    fileprivate var problem: StaticText? {
        guard count <= TransferLimits.headers else { return "has more than 64 headers" }
        let bytes = reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= TransferLimits.headerBytes else { return "has headers of more than 16 KiB" }
        return lazy.compactMap(\.problem).first
    }
}
