/// The end of an extension's standard output and error as raw bytes, and the count of all bytes.
///
/// The extension chose the bytes: escape them before showing them.
package struct OutputTail: Sendable, Hashable {
    /// The most bytes that are kept.
    package static let capacity = 8192

    /// The count of all bytes written, kept or not.
    package private(set) var total: UInt64 = 0
    /// Up to twice the bytes that are kept, so that not every small piece moves the rest.
    private var recent: [UInt8] = []

    package init() {}

    package var bytes: [UInt8] { Array(recent.suffix(Self.capacity)) }

    mutating func append(_ more: ArraySlice<UInt8>) {
        total += UInt64(more.count)
        recent.append(contentsOf: more.suffix(Self.capacity))
        if recent.count > 2 * Self.capacity { recent.removeFirst(recent.count - Self.capacity) }
    }
}
