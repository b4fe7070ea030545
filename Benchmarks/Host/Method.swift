/// The methods that the extension serves.
enum Method {
    /// The driver's bytes, as they are.
    static let raw: UInt16 = 7
    /// The same, answered in sealed memory.
    static let sealed: UInt16 = 8
}
