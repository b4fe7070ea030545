/// Bytes of an untrusted program made fit for a terminal and a log.
enum EscapedText {
    /// In double quotes; what is not printable ASCII, a quote or a backslash becomes `\xNN`; `…` marks what was cut.
    static func quoted(_ bytes: [UInt8], limit: Int) -> String {
        var text = "\""
        for byte in bytes.prefix(limit) {
            let plain = byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C
            text += plain ? String(UnicodeScalar(byte)) : hexadecimal(byte)
        }
        return text + (bytes.count > limit ? "\"…" : "\"")
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "\\x0\(digits)" : "\\x\(digits)"
    }
}
