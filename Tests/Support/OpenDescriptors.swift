internal import AnnexLinux
import Glibc

/// The open descriptors of this process, identified by the objects that they name.
public enum OpenDescriptors {
    /// The descriptors that name an object whose text contains `text`, such as the name of a memfd.
    public static func numbers(naming text: String) throws -> [Int32] {
        let names = try Descriptor.directory("/proc/self/fd").entries(atMost: 1 << 20).compactMap(\.name)
        return names.compactMap { Int32($0) }.filter { link("/proc/self/fd/\($0)").contains(text) }
    }

    public static func count(naming text: String) throws -> Int {
        try numbers(naming: text).count
    }

    /// The number of descriptors, except those that name an object with this text.
    static func count(but text: String) -> Int {
        ProcText.names(in: "/proc/self/fd").count { link("/proc/self/fd/\($0)") != text }
    }

    /// Waits until no descriptor names an object whose text contains `text`. A separate thread closes descriptors
    /// that a peer handed over.
    public static func untilNone(naming text: String) async throws {
        while try count(naming: text) > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// The object that each descriptor names, in order.
    public static func names() throws -> [String] {
        try Descriptor.directory("/proc/self/fd").entries(atMost: 1 << 20).compactMap(\.name).compactMap { Int32($0) }
            .sorted().map { "\($0) \(link("/proc/self/fd/\($0)"))" }
    }

    private static func link(_ path: String) -> String {
        var buffer = [CChar](repeating: 0, count: 512)
        let length = readlink(path, &buffer, buffer.count - 1)
        return String(decoding: buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
