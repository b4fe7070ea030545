import Glibc

/// What this process has open right now, told apart by what it names.
enum OpenDescriptors {
    /// How many descriptors and mappings name an object whose text contains `text`, such as the name of a memfd.
    static func count(naming text: String) -> Int {
        (0..<1024).filter { link("/proc/self/fd/\($0)").contains(text) }.count
    }

    /// Waits until there are none: what a peer handed over is closed on a thread of its own.
    static func untilNone(naming text: String) async throws {
        while count(naming: text) > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    private static func link(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 512)
        let length = readlink(path, &buffer, buffer.count - 1)
        return String(decoding: buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
