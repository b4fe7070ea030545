/// The end of what an extension wrote to its standard output and error, as raw bytes, and how much there was in all.
///
/// The bytes are the extension's: whoever shows them escapes them.
package struct OutputTail: Sendable, Hashable {
    /// Bytes kept.
    package static let capacity = 8192

    package private(set) var bytes: [UInt8] = []
    /// Everything that was written, kept or not.
    package private(set) var total: UInt64 = 0

    package init() {}

    mutating func append(_ more: ArraySlice<UInt8>) {
        total += UInt64(more.count)
        bytes += more.suffix(Self.capacity)
        if bytes.count > Self.capacity { bytes.removeFirst(bytes.count - Self.capacity) }
    }
}
