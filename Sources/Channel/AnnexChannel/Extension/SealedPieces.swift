internal import AnnexLinux

/// The sealed memory that goes with one answer.
public struct SealedPieces: ~Copyable {
    var descriptors = DescriptorList()
    /// Bytes of all pieces together.
    public private(set) var bytes: UInt64 = 0

    public var count: Int { descriptors.count }

    /// None.
    public init() {}

    public init(_ memory: consuming SealedMemory) {
        append(memory)
    }

    public mutating func append(_ memory: consuming SealedMemory) {
        bytes += UInt64(memory.count)
        descriptors.append(memory.takeDescriptor())
    }
}
