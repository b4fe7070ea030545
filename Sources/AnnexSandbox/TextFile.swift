internal import AnnexLinux
internal import Glibc

/// Small kernel files: read and written whole, in one call each.
enum TextFile {
    /// The text, or nil when it cannot be read. Kernel files of more than 1 MiB are cut there.
    static func read(_ path: String) -> String? {
        guard let file = try? Descriptor.open(path, O_RDONLY) else { return nil }
        var bytes: [UInt8] = []
        while bytes.count < 1 << 20 {
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                // SAFETY: the kernel writes at most the buffer's own length.
                count = unsafe max(0, Glibc.read(file.number, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty { break }
            bytes += piece
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes in one call, as control files want it.
    static func write(_ text: String, to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY)
        let bytes = Array(text.utf8)
        _ = try SystemError.retrying("write", path: path) {
            // SAFETY: the array outlives the call.
            unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
        }
    }

    static func number(_ path: String) -> UInt64? {
        read(path).flatMap { text in UInt64(text.prefix { $0.isNumber }) }
    }

    /// The value behind `key` in a file of `key value` lines.
    static func number(_ path: String, key: String) -> UInt64? {
        for line in (read(path) ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == key { return UInt64(words[1]) }
        }
        return nil
    }
}
