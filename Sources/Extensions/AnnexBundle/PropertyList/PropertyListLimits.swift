/// The size and nesting that a reader accepts in a property list.
package struct PropertyListLimits: Sendable, Hashable {
    /// The longest file, in bytes. This is also the limit for all bytes of text and data together. Each text counts as
    /// often as the list refers to it.
    ///
    /// In an XML list, each value appears in full, so the length of the file bounds this total. In a binary list,
    /// thousands of references may name one object, and objects may overlap. So the reader itself adds up the bytes.
    package let bytes: Int
    /// The most values. Each value counts as often as a binary list refers to it.
    package let values: Int
    /// The deepest nesting. It bounds the reader's stack.
    package let depth: Int
    /// The longest key of a dictionary, in bytes.
    package let key: Int

    package init(bytes: Int, values: Int, depth: Int = 64, key: Int = 1_024) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.key = key
    }

    /// The limits for any property list.
    package static let ordinary = PropertyListLimits(bytes: 1 << 20, values: 65_536)
    /// The limits for a bundle's `Info.plist`. Among the files of 93 real apps, the longest has 14 KiB.
    package static let info = PropertyListLimits(bytes: 128 << 10, values: 8_192)
}

/// The remaining values and bytes that a reader may take from a property list.
struct PropertyListBudget {
    private let limits: PropertyListLimits
    private var values: Int
    private var bytes: Int

    init(_ limits: PropertyListLimits) {
        self.limits = limits
        values = limits.values
        bytes = limits.bytes
    }

    /// Counts one more value at this depth.
    mutating func spendValue(at offset: Int, depth: Int) throws(PropertyListFailure) {
        guard depth < limits.depth else {
            throw PropertyListFailure(at: offset, "nested deeper than \(limits.depth)")
        }
        guard values > 0 else { throw PropertyListFailure(at: offset, "more than \(limits.values) values") }
        values -= 1
    }

    /// Counts bytes of text or data. Call this function before the bytes are copied.
    mutating func spend(bytes count: Int, at offset: Int) throws(PropertyListFailure) {
        guard count <= bytes else {
            throw PropertyListFailure(at: offset, "more than \(limits.bytes) bytes of text and data")
        }
        bytes -= count
    }

    func checkKey(_ key: String, at offset: Int) throws(PropertyListFailure) {
        guard key.utf8.count <= limits.key else {
            throw PropertyListFailure(at: offset, "a key longer than \(limits.key) bytes")
        }
    }
}
