/// The methods that the extension serves.
enum Method {
    /// The driver's bytes, unchanged.
    static let raw: UInt16 = 7
    /// The driver's bytes, answered in sealed memory.
    static let sealed: UInt16 = 8
}
