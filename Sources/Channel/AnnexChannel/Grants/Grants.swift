public import AnnexLinux

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
