extension EscapedText {
    /// Without quotes, for names within a sentence: what is not printable ASCII becomes `\xNN`; at most 200 bytes.
    static func printable(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        let cut = bytes.count > 200
        return String(quoted(Array(bytes.prefix(200)), limit: 200).dropFirst().dropLast()) + (cut ? "…" : "")
    }
}
