/// Why a file is no property list.
public struct PropertyListFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, in bytes from the file's start.
    public let offset: Int
    /// What is wrong there.
    public let what: String

    init(at offset: Int, _ what: String) {
        self.offset = offset
        self.what = what
    }

    public var description: String { "byte \(offset): \(what)" }
}
