internal import AnnexPolicy

/// The first request of a client to a proxy of HTTP (RFC 9112), as far as it says which machine the proxy is to reach.
///
/// The bytes come from the program in the sandbox. The request is written anew from what was understood, so that the
/// proxy understands the same.
package struct ProxyRequest: Sendable, Hashable {
    /// Why a request is not passed on.
    package enum Refusal: Error, Sendable, Hashable {
        case notHTTP
        case unreadable
        case tooLong
        /// The body has no length that is stated once.
        case bodyWithoutLength

        /// Why it is refused, for people.
        var words: String {
            switch self {
            case .notHTTP: "the connection leads to the proxy, and the program sends it no request of HTTP"
            case .unreadable: "the request to the proxy cannot be read"
            case .tooLong: "the request to the proxy is longer than \(ProxyRequest.longest) bytes"
            case .bodyWithoutLength: "a request to the proxy whose body has no stated length is not passed on"
            }
        }
    }

    /// The machine that the proxy is to reach, and its port.
    package let host: HostRefusal.Host
    package let port: UInt16
    /// Whether the proxy is to carry whatever bytes come after its answer (`CONNECT`).
    package let isTunnel: Bool
    /// What the proxy gets: the request, and the bytes of its body that have come.
    package let message: [UInt8]
    /// How many bytes of the body have not come. The proxy gets no more.
    package let bodyLeft: UInt64
    /// The bytes behind the request: the beginning of what goes through a tunnel.
    package let rest: [UInt8]

    /// The most bytes of a request without its body.
    package static let longest = 1 << 14

    /// Reads a request.
    /// - Returns: nil if more bytes must arrive first.
    package static func read(_ bytes: [UInt8]) throws(Refusal) -> ProxyRequest? {
        if let first = bytes.first, !isToken(first) { throw .notHTTP }
        guard let end = headEnd(in: bytes) else {
            guard bytes.count < longest else { throw .tooLong }
            return nil
        }
        guard end <= longest else { throw .tooLong }
        return try ProxyRequest(head: bytes[..<(end - 4)], rest: bytes[end...])
    }

    /// The place behind the empty line that ends a head.
    static func headEnd(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let mark: [UInt8] = [13, 10, 13, 10]
        return (0...(bytes.count - 4)).first { bytes[$0] == 13 && bytes[$0..<($0 + 4)].elementsEqual(mark) }.map {
            $0 + 4
        }
    }

    private init(head: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) throws(Refusal) {
        // Signs that end a line for some readers and not for others would give them different requests.
        let isPlain = head.indices.allSatisfy { place in
            switch head[place] {
            case 13: place + 1 < head.endIndex && head[place + 1] == 10
            case 10: place > head.startIndex && head[place - 1] == 13
            case 9, 0x20...0x7E, 0x80...0xFF: true
            default: false
            }
        }
        guard isPlain else { throw .unreadable }
        let lines = Self.split(head)
        let words = (lines.first ?? []).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 3, words[0].allSatisfy(Self.isToken),
            words[2].elementsEqual("HTTP/1.1".utf8)
                || words[2].elementsEqual("HTTP/1.0".utf8)
        else { throw .notHTTP }
        isTunnel = words[0].elementsEqual("CONNECT".utf8)
        let target = String(decoding: words[1], as: UTF8.self)
        let place = isTunnel ? Self.place(target, usual: nil) : try Self.placeOfURL(target)
        guard let place else { throw .unreadable }
        (host, port) = place
        let fields = try lines.dropFirst().map { line throws(Refusal) in try Field(line) }
        let length = try Self.bodyLength(fields)
        if isTunnel, length > 0 { throw .unreadable }
        // Some proxies go by this field, and not by the first line.
        let machine = HostRefusal(host, port: isTunnel || port != 80 ? port : nil, reason: .unnamed).place
        var written = Array(lines[0]) + [13, 10] + Array("Host: \(machine)\r\n".utf8)
        for field in fields where !Self.replaced.contains(field.name) { written += field.bytes + [13, 10] }
        // The proxy gets one request in each connection, so that no second one hides behind the first.
        if !isTunnel { written += Array("Connection: close\r\nProxy-Connection: close\r\n".utf8) }
        let body = isTunnel ? rest.prefix(0) : rest.prefix(Int(clamping: length))
        message = written + [13, 10] + body
        bodyLeft = length - UInt64(body.count)
        self.rest = isTunnel ? Array(rest) : []
    }

    /// Fields that are written anew, or that are about the connection between the client and the proxy.
    private static let replaced: Set = [
        "host", "connection", "proxy-connection", "keep-alive", "upgrade", "te", "trailer",
    ]

    private struct Field {
        let name: String
        let text: String
        let bytes: [UInt8]

        init(_ line: [UInt8]) throws(Refusal) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy(isToken)
            else {
                throw .unreadable
            }
            name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = line[(colon + 1)...].drop { $0 == 0x20 || $0 == 9 }
            let end = value.lastIndex { $0 != 0x20 && $0 != 9 }.map { $0 + 1 } ?? value.startIndex
            text = String(decoding: value[..<end], as: UTF8.self)
            bytes = line
        }
    }

    private static func split(_ head: ArraySlice<UInt8>) -> [[UInt8]] {
        head.split(separator: 10, omittingEmptySubsequences: false).map {
            $0.last == 13 ? Array($0.dropLast()) : Array($0)
        }
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func bodyLength(_ fields: [Field]) throws(Refusal) -> UInt64 {
        guard !fields.contains(where: { $0.name == "transfer-encoding" }) else { throw .bodyWithoutLength }
        let stated = fields.filter { $0.name == "content-length" }
        guard let first = stated.first else { return 0 }
        guard stated.count == 1, first.text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = UInt64(first.text)
        else { throw .bodyWithoutLength }
        return length
    }

    /// The machine of an address in the form `http://HOST[:PORT]/…`.
    private static func placeOfURL(_ text: String) throws(Refusal) -> (HostRefusal.Host, UInt16)? {
        // A request without the machine is one to a server, and not to a proxy.
        guard let colon = text.firstRange(of: "://"), text[..<colon.lowerBound].lowercased() == "http" else {
            throw .unreadable
        }
        let authority = text[colon.upperBound...].prefix { !"/?#".contains($0) }
        return authority.contains("@") ? nil : place(String(authority), usual: 80)
    }

    /// The machine and the port in `HOST[:PORT]`.
    private static func place(_ text: String, usual: UInt16?) -> (HostRefusal.Host, UInt16)? {
        guard let rule = try? HostRule(text), let port = rule.port ?? usual else { return nil }
        return switch rule.target {
        case .name(let name): (.name(name), port)
        case .address(let bytes): (.address(bytes), port)
        case .below: nil
        }
    }
}

/// The head of a proxy's answer, as far as it says whether a tunnel exists now.
package enum ProxyAnswer {
    /// Whether the proxy made the tunnel, and the place behind the head.
    /// - Returns: nil if more bytes must arrive first, or if the answer is unreadable and `isUnreadable` says so.
    package static func read(_ bytes: [UInt8]) throws(ProxyRequest.Refusal) -> (isTunnel: Bool, end: Int)? {
        guard let end = ProxyRequest.headEnd(in: bytes) else {
            guard bytes.count < ProxyRequest.longest else { throw .tooLong }
            return nil
        }
        let isHTTP = bytes.starts(with: "HTTP/1.".utf8) && bytes.count > 12 && bytes[8] == 0x20
        guard isHTTP else { throw .unreadable }
        return (bytes[9] == UInt8(ascii: "2"), end)
    }
}
