public import AnnexLinux

/// Why the contents of an attachment cannot be read.
public enum ItemFailure: Error, Sendable, Hashable {
    /// The provider does not offer this type.
    case noSuchType(TypeIdentifier, offered: [TypeIdentifier])
    /// The contents are longer than the reader allows, in bytes.
    case tooLong(limit: Int)
    /// The contents are neither a file nor memory.
    case notAFile
    /// The file grew while it was read.
    case changedWhileRead
    /// The kernel refused a step.
    case system(SystemError)
}

extension ItemFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noSuchType(let type, let offered):
            "the item is not offered as \(type), only as \(offered.map(\.description).joined(separator: ", "))"
        case .tooLong(let limit): "the item is longer than \(limit) bytes"
        case .notAFile: "the item's contents are neither a regular file nor memory"
        case .changedWhileRead: "the item's file changed while it was read"
        case .system(let error): "the item could not be read: \(error)"
        }
    }
}

extension ItemFailure {
    /// Runs system calls and wraps their error.
    static func wrapping<Result: ~Copyable>(
        _ body: () throws(SystemError) -> Result
    ) throws(ItemFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}
