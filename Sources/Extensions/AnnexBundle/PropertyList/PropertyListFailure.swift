/// Why a file is not a valid property list.
public struct PropertyListFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset of the fault, in bytes from the file's start.
    public let offset: Int
    /// What is wrong at that offset, in a line.
    public let what: String

    init(at offset: Int, _ what: String) {
        self.offset = offset
        self.what = what
    }

    public var description: String { "byte \(offset): \(what)" }
}
