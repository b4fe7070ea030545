internal import AnnexLinux

extension ItemContents {
    /// Whether the extension may make a new version of these contents.
    public var isEditable: Bool {
        switch source {
        case .file(let file): file.isEditable
        case .remote(let item): item.isEditable
        case .opened, .loader: false
        }
    }

    /// Begins a new version of the file. The host makes a new and empty file for the version. The original stays as
    /// it is until the version is committed. A second call empties the version that an earlier call began.
    ///
    /// ```swift
    /// let version = try provider.contents.beginVersion()
    /// try version.write(newText)
    /// try version.commit()
    /// ```
    /// - Throws: `notEditable` if the host has not allowed a new version; `withdrawn` if the request already has its
    ///   answer.
    public func beginVersion() throws(ItemFailure) -> ItemVersion {
        guard case .remote(let item) = source, item.isEditable else { throw .notEditable }
        return ItemVersion(try item.beginVersion(), of: item)
    }
}

/// A new version of a file, which the host has allowed. If this object is released without a commit, the version is
/// dropped.
///
/// The policy of the extension point limits the size of each file that an extension writes.
public final class ItemVersion {
    private let file: Descriptor
    private let item: any RemoteItem

    init(_ file: consuming Descriptor, of item: any RemoteItem) {
        self.file = file
        self.item = item
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(ItemFailure) {
        try ItemFailure.wrapping { () throws(SystemError) in try file.writeAll(bytes) }
    }

    /// Appends bytes that are lent for the call, for example a piece of `forEachChunk`.
    public func write(_ bytes: RawSpan) throws(ItemFailure) {
        try ItemFailure.wrapping { () throws(SystemError) in
            // SAFETY: the bytes are lent for the call, which keeps none of them.
            try unsafe bytes.withUnsafeBytes { (buffer) throws(SystemError) in try unsafe file.writeAll(buffer) }
        }
    }

    /// Asks the host to replace the original by this version. The new file gets the original's mode.
    ///
    /// - Throws: `failed` with the reason if the original has changed since `beginVersion`, or if the host cannot
    ///   write. In both cases the original stays as it is.
    public func commit() throws(ItemFailure) {
        try item.commitVersion()
    }
}
