import Glibc

/// The descriptors that this process has open right now, as far as they can be told apart by what they name.
enum OpenDescriptors {
    /// How many descriptors name an object whose link text contains `text`, such as the name of a memfd.
    static func count(naming text: String) -> Int {
        names().filter { $0.contains(text) }.count
    }

    static func names() -> [String] {
        (0..<1024).compactMap { number in
            var buffer = [CChar](repeating: 0, count: 512)
            let length = readlink("/proc/self/fd/\(number)", &buffer, buffer.count - 1)
            guard length > 0 else { return nil }
            return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
