public import AnnexLinux
internal import Glibc

/// The files and the memory that a request hands over to the extension besides its payload. The files can only be read,
/// and the memory cannot change. Nothing else can be handed over, and no directory in particular.
public struct Grants: ~Copyable, Sendable {
    /// The most files and pieces of memory that one request can carry.
    public static let most = ControlSocket.mostDescriptors

    private var descriptors = DescriptorList()

    /// Creates an empty value, which hands over nothing.
    public init() {}

    public init(_ file: consuming ReadOnlyFile) {
        append(file)
    }

    /// The number of files and pieces of memory; one request can carry at most `most`.
    public var count: Int { descriptors.count }

    public mutating func append(_ file: consuming ReadOnlyFile) {
        descriptors.append(file.takeDescriptor())
    }

    /// Adds sealed memory, which another extension handed over or this process sealed.
    public mutating func append(_ memory: SealedBytes) throws(SystemError) {
        descriptors.append(try memory.descriptor.reopenedReadOnly())
    }

    consuming func takeDescriptors() -> DescriptorList { descriptors }
}

/// A regular file to hand over, opened for reading only, with an open file description of its own.
///
/// Only regular files are accepted. A directory would let the extension open everything beneath it, and devices and
/// sockets can do more than be read.
public struct ReadOnlyFile: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// Opens a file by its path, following links as open(2) does.
    /// - Throws: `EISDIR` for a directory, `EINVAL` for another file that is not regular, or the error of opening it.
    public init(path: String) throws(SystemError) {
        // O_NONBLOCK, because opening a pipe for reading would wait for a writer.
        let opened = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        try ReadOnlyFile.check(opened)
        descriptor = opened
    }

    /// Opens an open file again, so that the new description shares neither offset nor flags with it.
    public init(reopening file: borrowing Descriptor) throws(SystemError) {
        // Checked before opening, because opening a device can already have an effect.
        try ReadOnlyFile.check(file)
        descriptor = try file.reopenedReadOnly()
    }

    consuming func takeDescriptor() -> Descriptor { descriptor }

    private static func check(_ file: borrowing Descriptor) throws(SystemError) {
        switch try file.status().kind {
        case .regular: return
        case .directory:
            throw SystemError("grant", errno: EISDIR, remedy: "hand over the files that are meant, each by itself")
        default: throw SystemError("grant", errno: EINVAL, remedy: "hand over a regular file")
        }
    }
}
