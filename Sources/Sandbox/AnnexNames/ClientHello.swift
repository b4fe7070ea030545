package import AnnexPolicy

/// The first message of a TLS client (RFC 8446), as far as it says whom the client calls.
///
/// The bytes come from the program in the sandbox, and may arrive in any pieces.
package struct ClientHello: Sendable {
    /// Why a beginning is not passed on.
    package enum Refusal: Error, Sendable, Hashable {
        case notTLS
        case withoutName
        case unreadable
        case encrypted
        case tooLong

        /// Why it is refused, for people.
        var words: String {
            switch self {
            case .notTLS: "at this port the name that a TLS client calls is checked, and the program does not speak TLS"
            case .withoutName: "the TLS client does not say which host it calls (SNI)"
            case .unreadable: "the first message of the TLS client cannot be read"
            case .encrypted:
                "the TLS client offers to encrypt which host it calls (ECH), so the name cannot be trusted: switch this off in the client"
            case .tooLong: "the first message of the TLS client is longer than \(ClientHello.longest) bytes"
            }
        }
    }

    /// The most bytes of a first message, with the headers of its records. Browsers send about 2,000.
    package static let longest = 1 << 16

    /// The bytes of a record that is not complete.
    private var pending: [UInt8] = []
    /// The records until now without their headers, because the message may be divided among them.
    private var message: [UInt8] = []
    private var count = 0
    /// The bytes behind the message, when it is complete.
    package private(set) var rest: [UInt8] = []
    private let isSecond: Bool

    /// - Parameter isSecond: whether the server has asked for another message. Then records of other kinds may come
    /// first.
    package init(isSecond: Bool = false) { self.isSecond = isSecond }

    /// Takes the next bytes that the client has sent.
    /// - Returns: the name of the machine that the client calls; nil if more bytes must arrive first.
    package mutating func read(_ bytes: some Collection<UInt8>) throws(Refusal) -> HostName? {
        count += bytes.count
        pending += bytes
        var records = TLSBytes(pending)
        while let record = try record(from: &records) {
            message += record
            if let name = try named() {
                rest = records.left
                return name
            }
        }
        pending = records.left
        guard count < Self.longest else { throw .tooLong }
        return nil
    }

    /// Records before a second message: a change of ciphers without meaning, and data that the client sent in advance.
    private static let skipped = [20, 23]

    /// The next complete record without its header; none of a record that is skipped. A beginning that is no record of
    /// a handshake is refused at once.
    private func record(from bytes: inout TLSBytes) throws(Refusal) -> [UInt8]? {
        var header = bytes
        guard let type = header.number(1) else { return nil }
        let isSkipped = isSecond && message.isEmpty && Self.skipped.contains(type)
        guard type == 22 || isSkipped else { throw .notTLS }
        guard let version = header.number(2) else { return nil }
        guard version >> 8 == 3 else { throw .notTLS }
        guard let size = header.number(2) else { return nil }
        // A record of encrypted data is up to 256 bytes longer.
        guard size > 0, size <= 16_384 + (isSkipped ? 256 : 0) else { throw .notTLS }
        guard let record = header.exactly(size) else { return nil }
        bytes = header
        return isSkipped ? [] : record
    }

    /// The name in the message; nil if the message is not complete.
    private func named() throws(Refusal) -> HostName? {
        var bytes = TLSBytes(message)
        guard let type = bytes.number(1) else { return nil }
        guard type == 1 else { throw .notTLS }
        guard let size = bytes.number(3) else { return nil }
        guard size <= Self.longest else { throw .tooLong }
        guard let whole = bytes.exactly(size) else { return nil }
        // Another message in the same record would go on unread.
        guard bytes.isEmpty else { throw .unreadable }
        var body = TLSBytes(whole)
        // The version, the random bytes, the session, the ciphers and the compressions.
        guard body.exactly(34) != nil, body.list(1) != nil, body.list(2) != nil, body.list(1) != nil else {
            throw .unreadable
        }
        if body.isEmpty { throw .withoutName }
        guard let extensions = body.list(2), body.isEmpty else { throw .unreadable }
        return try Self.name(in: extensions)
    }

    private static func name(in extensions: [UInt8]) throws(Refusal) -> HostName {
        var (rest, name) = (TLSBytes(extensions), HostName?.none)
        while !rest.isEmpty {
            guard let kind = rest.number(2), let value = rest.list(2) else { throw .unreadable }
            // encrypted_client_hello: the name that counts is inside, where nobody but the receiver can read it.
            if kind == 0xFE0D { throw .encrypted }
            guard kind == 0 else { continue }
            // A second name could be the one that the receiver takes.
            guard name == nil, let only = Self.only(in: value) else { throw .unreadable }
            name = only
        }
        guard let name else { throw .withoutName }
        return name
    }

    /// The only name in a list of names (RFC 6066).
    private static func only(in value: [UInt8]) -> HostName? {
        var outer = TLSBytes(value)
        guard let list = outer.list(2), outer.isEmpty else { return nil }
        var names = TLSBytes(list)
        guard names.number(1) == 0, let name = names.list(2), names.isEmpty, name.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        return try? HostName(String(decoding: name, as: UTF8.self))
    }
}

/// Reads numbers and lists from the bytes of a TLS message. Every read checks what is left.
private struct TLSBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }
    var left: [UInt8] { Array(rest) }

    mutating func number(_ size: Int) -> Int? {
        exactly(size)?.reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func exactly(_ count: Int) -> [UInt8]? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The bytes of a list, whose size comes first.
    mutating func list(_ size: Int) -> [UInt8]? {
        guard let count = number(size) else { return nil }
        return exactly(count)
    }
}
