package import AnnexLinux
internal import Glibc

/// Reads and writes small kernel files. Each file is written completely in one call.
package enum TextFile {
    /// The most bytes of a file. No kernel file that is read here is longer.
    private static let longest = 16 << 20

    /// The file's text; nil if it cannot be read.
    package static func read(_ path: String) -> String? { try? contents(of: path) }

    /// The file's bytes; nil if it cannot be read.
    static func bytes(_ path: String) -> [UInt8]? {
        try? Descriptor.open(path, O_RDONLY).readAll(atMost: longest)
    }

    /// The file's text.
    /// - Throws: also `EFBIG` if the file holds more than 16 MiB.
    static func contents(of path: String) throws(SystemError) -> String {
        String(decoding: try Descriptor.open(path, O_RDONLY).readAll(atMost: longest), as: UTF8.self)
    }

    /// Writes the text in one call, as the kernel's control files require.
    package static func write(_ text: String, to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY)
        let bytes = Array(text.utf8)
        _ = try SystemError.retrying("write", path: path) {
            // SAFETY: the array outlives the call.
            unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
        }
    }

    /// The lines of a text. Splitting a text by characters takes several times as long, because each character's end has
    /// to be found.
    package static func lines(of text: String) -> [Substring] { text.utf8.split(separator: 0x0A).map(Substring.init) }

    /// The value of a field in a text of lines such as `Umask:	0022`; nil if no line has the field.
    package static func field(_ name: String, in text: String) -> Substring? {
        for line in lines(of: text) where line.utf8.starts(with: name.utf8) {
            let rest = line.utf8.dropFirst(name.utf8.count)
            guard rest.first == UInt8(ascii: ":") else { continue }
            return Substring(rest.dropFirst().drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") })
        }
        return nil
    }

    static func number(_ path: String) -> UInt64? {
        read(path).flatMap { text in UInt64(text.prefix { $0.isNumber }) }
    }

    /// The value after `key` in a file of `key value` lines; nil if no line has the key.
    static func number(_ path: String, key: String) -> UInt64? { read(path).flatMap { number(key, in: $0) } }

    /// The value after `key` in a text of `key value` lines.
    static func number(_ key: String, in text: String) -> UInt64? {
        for line in lines(of: text) {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == key { return UInt64(words[1]) }
        }
        return nil
    }
}
