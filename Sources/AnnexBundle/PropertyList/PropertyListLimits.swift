/// What a property list may ask of its reader.
enum PropertyListLimits {
    /// Longest file, in bytes.
    static let bytes = 1 << 20
    /// Most values, each counted as often as a binary list refers to it: bounds time and memory.
    static let values = 65_536
    /// Deepest nesting: bounds the reader's stack.
    static let depth = 64
}
