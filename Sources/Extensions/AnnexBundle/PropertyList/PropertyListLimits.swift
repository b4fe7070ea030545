/// What a property list may ask of its reader.
package struct PropertyListLimits: Sendable, Hashable {
    /// The longest file, in bytes; also the most bytes of text and data, each counted as often as the list refers to it.
    ///
    /// An XML list spells everything out, so its file's length bounds that sum. In a binary list one object may stand for
    /// 65,536 values, and objects may overlap: there the reader keeps the sum itself.
    package let bytes: Int
    /// The most values, each counted as often as a binary list refers to it.
    package let values: Int
    /// The deepest nesting: bounds the reader's stack.
    package let depth: Int
    /// The longest key of a dictionary, in bytes.
    package let key: Int

    package init(bytes: Int, values: Int, depth: Int = 64, key: Int = 1_024) {
        self.bytes = bytes
        self.values = values
        self.depth = depth
        self.key = key
    }

    /// For a list of any kind.
    package static let ordinary = PropertyListLimits(bytes: 1 << 20, values: 65_536)
    /// For a bundle's `Info.plist`. The longest one of 93 real apps has 14 KiB.
    package static let info = PropertyListLimits(bytes: 128 << 10, values: 8_192)
}
