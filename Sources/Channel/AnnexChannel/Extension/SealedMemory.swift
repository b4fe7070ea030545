public import AnnexLinux
internal import Glibc

/// Memory that an extension fills once and hands over with an answer. After sealing, no process can change it.
public struct SealedMemory: ~Copyable {
    let descriptor: Descriptor
    /// The number of bytes.
    public let count: Int

    /// Creates `count` bytes (at least 1) of zeros, runs `fill` to write them, and seals them.
    public static func make<Failure: Error>(
        count: Int, _ fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(SealedMemoryFailure<Failure>) -> SealedMemory {
        let memory: Descriptor
        do throws(SystemError) {
            memory = try Descriptor.memfd("annex-answer", size: Int64(max(count, 1)))
        } catch {
            throw .system(error)
        }
        try fillAndUnmap(memory, count: max(count, 1), fill)
        do throws(SystemError) {
            // The kernel sets the seals only if the memory has no writable mapping.
            try memory.addSeals(.immutable)
        } catch {
            throw .system(error)
        }
        return SealedMemory(descriptor: memory, count: max(count, 1))
    }

    /// Creates sealed memory that holds a copy of the bytes. There must be at least one byte.
    public init(copying bytes: [UInt8]) throws(SystemError) {
        // If an extension hands over empty memory, the host closes its channel. So empty memory is rejected here.
        guard !bytes.isEmpty else {
            throw SystemError("memfd_create", errno: EINVAL, remedy: "hand over at least one byte")
        }
        let memory = try Descriptor.memfd("annex-answer", size: 0)
        try memory.writeAll(bytes)
        try memory.addSeals(.immutable)
        self.init(descriptor: memory, count: bytes.count)
    }

    /// Takes over memory that was filled by writes to its descriptor, and then sealed.
    /// - Throws: `EPERM` if a seal is missing, so that the memory can still change; `EINVAL` if the memory is empty or
    ///   cannot be sealed.
    package init(sealed memory: consuming Descriptor) throws(SystemError) {
        guard try memory.seals().isSuperset(of: .immutable) else {
            throw SystemError("fcntl(F_GET_SEALS)", errno: EPERM, remedy: "set every seal before handing over")
        }
        let size = Int(clamping: try memory.status().size)
        guard size > 0 else { throw SystemError("fstat", errno: EINVAL, remedy: "hand over at least one byte") }
        self.init(descriptor: memory, count: size)
    }

    private init(descriptor: consuming Descriptor, count: Int) {
        self.descriptor = descriptor
        self.count = count
    }

    private static func fillAndUnmap<Failure: Error>(
        _ memory: borrowing Descriptor, count: Int, _ fill: (inout MutableRawSpan) throws(Failure) -> Void
    ) throws(SealedMemoryFailure<Failure>) {
        let mapping: Mapping
        do throws(SystemError) {
            mapping = try Mapping(memory, size: count, writable: true)
        } catch {
            throw .system(error)
        }
        // SAFETY: the mapping is writable and has this size, and no other process has the memory yet.
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: mapping.start, count: count)
        do throws(Failure) {
            var span = unsafe buffer.mutableBytes
            try fill(&span)
        } catch {
            throw .fill(error)
        }
        unsafe touchEveryPage(buffer)
    }

    /// Writes to each page. Pages that were never written are holes. A host rejects memory with holes, because reading
    /// a hole would use the host's own memory.
    private static func touchEveryPage(_ buffer: UnsafeMutableRawBufferPointer) {
        for offset in stride(from: 0, to: buffer.count, by: 4096) {
            let byte = unsafe buffer.load(fromByteOffset: offset, as: UInt8.self)
            unsafe buffer.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
    }
}

extension SealedMemory {
    consuming func takeDescriptor() -> Descriptor {
        descriptor
    }
}

/// The sealed memory that goes with one answer.
public struct SealedPieces: ~Copyable {
    var descriptors = DescriptorList()
    /// The bytes of all pieces together.
    public private(set) var bytes: UInt64 = 0

    public var count: Int { descriptors.count }

    /// Creates an empty value.
    public init() {}

    public init(_ memory: consuming SealedMemory) {
        append(memory)
    }

    public mutating func append(_ memory: consuming SealedMemory) {
        bytes += UInt64(memory.count)
        descriptors.append(memory.takeDescriptor())
    }
}

/// Why sealed memory could not be created.
public enum SealedMemoryFailure<Failure: Error>: Error {
    case system(SystemError)
    /// The error that the filling closure threw.
    case fill(Failure)
}
