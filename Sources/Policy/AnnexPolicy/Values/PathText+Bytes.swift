package import AnnexLinux

/// Paths of the kernel as text. For the kernel, a path is a sequence of bytes. Policies, and the code that judges paths,
/// use text.
///
/// A byte that is not part of UTF-8 becomes a NUL and the character with the byte's number. No path contains a NUL. So
/// each of these texts stands for exactly one path, and a path that is not UTF-8 never equals a path of a policy.
extension PathText {
    /// The text of a path. A NUL in the bytes ends the path.
    package static func text(_ path: some Collection<UInt8>) -> String {
        var text = ""
        var rest = Array(path.prefix { $0 != 0 })[...]
        while !rest.isEmpty {
            let (plain, isWhole) = plainPrefix(of: rest)
            text += plain
            if isWhole { break }
            rest = rest.dropFirst(plain.utf8.count)
            guard let byte = rest.popFirst() else { break }
            text.unicodeScalars.append("\0")
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return text
    }

    /// The bytes of a path that `text` returned. For any other text without a NUL, the bytes are its UTF-8.
    package static func bytes(_ text: String) -> [UInt8] {
        if isUTF8(text) { return Array(text.utf8) }
        var bytes: [UInt8] = []
        var isNumber = false
        for scalar in text.unicodeScalars {
            if isNumber, let byte = UInt8(exactly: scalar.value), byte >= 0x80 {
                bytes.append(byte)
            } else if scalar != "\0" {
                bytes += Array(String(scalar).utf8)
            }
            isNumber = scalar == "\0"
        }
        return bytes
    }

    /// Whether the path is UTF-8. Policies and the options of `annex run` can name only such paths.
    package static func isUTF8(_ path: String) -> Bool { !path.utf8.contains(0) }

    /// The path, escaped for display.
    package static func shown(_ path: String, limit: Int = 1_024) -> Escaped { Escaped(bytes(path), limit: limit) }

    /// The longest prefix that is UTF-8, and whether it is the whole text.
    private static func plainPrefix(of bytes: ArraySlice<UInt8>) -> (text: String, isWhole: Bool) {
        if let text = String(validating: bytes, as: UTF8.self) { return (text, true) }
        var decoder = UTF8()
        var source = bytes.makeIterator()
        var text = ""
        while case .scalarValue(let scalar) = decoder.decode(&source) { text.unicodeScalars.append(scalar) }
        return (text, false)
    }
}
