public import AnnexLinux
internal import Glibc

/// What a request hands over besides its payload: files that can only be read, and memory that cannot change. Nothing
/// else can be handed over, a directory least of all.
public struct Grants: ~Copyable, Sendable {
    /// The most pieces that one request carries.
    public static let most = ControlSocket.mostDescriptors

    private var descriptors = DescriptorList()

    /// None.
    public init() {}

    public init(_ file: consuming ReadOnlyFile) {
        append(file)
    }

    /// How many there are; at most `most` can be sent with one request.
    public var count: Int { descriptors.count }

    public mutating func append(_ file: consuming ReadOnlyFile) {
        descriptors.append(file.takeDescriptor())
    }

    /// Adds memory that another extension handed over, or that was sealed here.
    public mutating func append(_ memory: SealedBytes) throws(SystemError) {
        descriptors.append(try memory.descriptor.reopenedReadOnly())
    }

    consuming func takeDescriptors() -> DescriptorList { descriptors }
}

/// A file for handing over: an open file description of its own, which can only read.
///
/// Always a regular file. A directory would let its holder open whatever lies beneath, a device or a socket do what no
/// reading does; neither can be made into one of these.
public struct ReadOnlyFile: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// Opens a file by its path, following links as open(2) does.
    /// - Throws: `EISDIR` for a directory, `EINVAL` for anything else that is no regular file, or why it does not open.
    public init(path: String) throws(SystemError) {
        // Without waiting: a pipe's reader would wait for its writer.
        let opened = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        try ReadOnlyFile.check(opened)
        descriptor = opened
    }

    /// Opens an open file anew, so that neither its offset nor its flags are shared.
    public init(reopening file: borrowing Descriptor) throws(SystemError) {
        // Asked first: opening a device can already do something.
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
