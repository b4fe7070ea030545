internal import AnnexLinux
internal import Glibc

extension SealedBytes {
    /// Takes a descriptor that a peer sent, if it is what an answer may bring, and maps it.
    /// - Parameter limit: the most bytes.
    /// - Throws: `CallFailure.violated` where it is anything else; `.system` where this side's own means fail.
    static func checked(_ descriptor: consuming Descriptor, atMost limit: UInt64) throws(CallFailure) -> SealedBytes {
        let size = try SealedBytes.checkedSize(descriptor, atMost: limit)
        do throws(SystemError) {
            return try SealedBytes(descriptor, size: size)
        } catch {
            throw .system(error)
        }
    }

    private static func checkedSize(
        _ descriptor: borrowing Descriptor, atMost limit: UInt64
    ) throws(CallFailure) -> Int {
        let status: FileStatus
        do throws(SystemError) {
            status = try descriptor.status()
        } catch {
            throw .system(error)
        }
        guard status.kind == .regular else { throw .violated(.notSealed("\(status.kind)")) }
        // The file system comes before the seals: pages of huge-page memory can be missing when they are touched.
        guard descriptor.isPlainSharedMemory else { throw .violated(.notSealed("a file on another file system")) }
        guard let seals = try? descriptor.seals() else { throw .violated(.notSealed("no seals")) }
        guard seals.isSuperset(of: .immutable) else { throw .violated(.notSealed("seals \(seals.rawValue)")) }
        // Only now do size and blocks stand still.
        return try finalSize(descriptor, atMost: limit)
    }

    private static func finalSize(
        _ descriptor: borrowing Descriptor, atMost limit: UInt64
    ) throws(CallFailure) -> Int {
        guard let status = try? descriptor.status() else { throw .violated(.notSealed("no status")) }
        let size = HostileSize(status)
        guard let bytes = size.bytes(atMost: limit) else {
            throw .violated(.sealedSize(size.forReport, accepted: limit))
        }
        guard size.isFilled else { throw .violated(.sealedHoles(size.forReport)) }
        return bytes
    }
}
