public import AnnexLinux

/// The error that says why the contents of an attachment cannot be read.
public enum ItemFailure: Error, Sendable, Hashable {
    /// The provider does not offer this type.
    case noSuchType(TypeIdentifier, offered: [TypeIdentifier])
    /// The contents are longer than the reader allows. The limit is in bytes.
    case tooLong(limit: Int)
    /// The contents are neither a file nor memory.
    case notAFile
    /// The file changed while it was read.
    case changedWhileRead
    /// The host has withdrawn the contents, or already has the answer to the request that offered them.
    case withdrawn
    /// The contents did not arrive within the time limit of the loader or of the reader.
    case timedOut
    /// The reader cancelled the load.
    case cancelled
    /// The loader failed. The text comes from the program that offered the contents.
    case failed(String)
    /// The contents come from a loader of this process. Only the extension that gets the request can load such
    /// contents.
    case notLoadable
    /// The host has not allowed a new version of the contents.
    case notEditable
    /// The bytes do not have the format that the type requires. The text says what is wrong.
    case malformed(String)
    /// A system call failed.
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
        case .withdrawn: "the item is not offered any more: load it before the request is answered"
        case .timedOut: "the item did not come within the time limit"
        case .cancelled: "the load was cancelled"
        case .failed(let reason): "the item could not be loaded: \(Escaped(reason, limit: 512))"
        case .notLoadable: "the item's loader runs only for the extension that the item is sent to"
        case .notEditable: "the host has not granted a new version of the item"
        case .malformed(let what): "the item's bytes are not of its type: \(what)"
        case .system(let error): "the item could not be read: \(error)"
        }
    }
}

extension ItemFailure {
    /// Runs system calls, and wraps their error in an `ItemFailure`.
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
