/// Steps through the bytes of a text. No step can move beyond the end.
struct ByteScanner {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func failure(_ what: String) -> PropertyListFailure {
        PropertyListFailure(at: position, what)
    }

    func starts(with text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    /// Steps over the text if it comes next.
    mutating func skip(_ text: String) -> Bool {
        guard starts(with: text) else { return false }
        position += text.utf8.count
        return true
    }

    /// Steps over one byte; nil at the end.
    mutating func readByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Steps to the end.
    mutating func skipAll() { position = bytes.count }

    mutating func skipSpace() {
        while let byte = next, XMLPropertyListText.isSpace(byte) { position += 1 }
    }

    /// Steps over the bytes before the first byte that meets the condition; nil if no byte does.
    mutating func read(upTo end: (UInt8) -> Bool) -> ArraySlice<UInt8>? {
        guard let found = bytes[position...].firstIndex(where: end) else { return nil }
        defer { position = found }
        return bytes[position..<found]
    }

    /// Steps over the bytes up to a text, and over the text itself; nil if the text does not appear.
    mutating func read(through end: String) -> ArraySlice<UInt8>? {
        let start = position
        let length = end.utf8.count
        while position < bytes.count {
            if starts(with: end) {
                defer { position += length }
                return bytes[start..<position]
            }
            position += 1
        }
        return nil
    }
}
