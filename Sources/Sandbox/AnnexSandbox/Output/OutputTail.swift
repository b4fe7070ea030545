/// The end of what an extension wrote to its standard output and error, as raw bytes, and how much there was in all.
///
/// The bytes are the extension's: whoever shows them escapes them.
package struct OutputTail: Sendable, Hashable {
    /// Bytes kept.
    package static let capacity = 8192

    /// Everything that was written, kept or not.
    package private(set) var total: UInt64 = 0
    /// Up to twice what is kept, so that a flood of small pieces is not moved along with every one of them.
    private var recent: [UInt8] = []

    package init() {}

    package var bytes: [UInt8] { Array(recent.suffix(Self.capacity)) }

    mutating func append(_ more: ArraySlice<UInt8>) {
        total += UInt64(more.count)
        recent.append(contentsOf: more.suffix(Self.capacity))
        if recent.count > 2 * Self.capacity { recent.removeFirst(recent.count - Self.capacity) }
    }
}
