internal import AnnexTransferWire

/// The head of the current answer, from hostile lines. Of all that a head can say, only what the agent acts on is read.
struct AnswerHead {
    private(set) var status: UInt16 = 0
    /// The lines that the broker learns, and whether further lines were left out.
    private(set) var lines: [UInt8] = []
    private(set) var linesWereCut = false
    /// Whether the head's end has come. What follows are lines after the body.
    private(set) var isWhole = false
    private(set) var fields: [Field: String] = [:]
    /// The fields that came twice with different values, or whose value is no UTF-8: nothing can be read of them.
    private(set) var unreadable: Set<Field> = []
    /// All header bytes of this exchange, those of earlier heads too.
    private(set) var bytes = 0

    /// The fields that the agent reads.
    enum Field: String, CaseIterable {
        case location, date
        case entityTag = "etag"
        case lastModified = "last-modified"
        case contentRange = "content-range"
        case contentLength = "content-length"
        case retryAfter = "retry-after"
    }

    /// Whether the answer is followed by another one, which is the answer to the request.
    var isInterim: Bool { status < 200 }

    mutating func add(_ line: [UInt8]) {
        bytes += line.count
        // A line after the body begins no other answer, whatever it looks like.
        if line.starts(with: Array("HTTP/".utf8)), status == 0 || isWhole && isInterim { return begin(line) }
        keep(line)
        let text = Self.trimmed(line[...])
        guard !isWhole else { return }
        guard !text.isEmpty else { return isWhole = true }
        guard let colon = text.firstIndex(of: 0x3a),
            let name = String(validating: text[..<colon], as: UTF8.self),
            let field = Field(rawValue: name.lowercased())
        else { return }
        let value = String(validating: Self.trimmed(text[(colon + 1)...]), as: UTF8.self)
        if value == nil || value != fields[field] ?? value { unreadable.insert(field) }
        fields[field] = fields[field] ?? value ?? ""
    }

    private mutating func begin(_ line: [UInt8]) {
        let (sum, words) = (bytes, line.split(separator: 0x20, omittingEmptySubsequences: true))
        self = AnswerHead()
        bytes = sum
        guard words.count > 1, let code = String(validating: Self.trimmed(words[1]), as: UTF8.self) else { return }
        status = UInt16(code).flatMap { (100...999).contains($0) ? $0 : nil } ?? 0
    }

    private mutating func keep(_ line: [UInt8]) {
        guard !isWhole, !Self.trimmed(line[...]).isEmpty else { return }
        guard !linesWereCut, lines.count + line.count <= TransferLimits.answerHeaders else {
            return linesWereCut = true
        }
        lines += line
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0d || byte == 0x0a }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return bytes[first...last]
    }
}

/// `Content-Range`: which part of a file an answer has.
struct ContentRange: Hashable {
    /// The first and the last byte; nil if the answer has no part.
    let part: ClosedRange<UInt64>?
    /// The size of the whole file; nil if the server does not know it.
    let whole: UInt64?

    init?(_ text: String) {
        guard text.lowercased().hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        whole = Self.number(halves[1])
        guard whole != nil || halves[1] == "*" else { return nil }
        if halves[0] == "*" {
            part = nil
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            whole.map({ last < $0 }) ?? true
        else { return nil }
        part = first...last
    }

    /// A number of digits alone: no sign, no spaces.
    static func number(_ text: some StringProtocol) -> UInt64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(text) : nil
    }
}
