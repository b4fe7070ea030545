internal import AnnexLinux
internal import Glibc

extension RegionLayout {
    /// What the host's region says about both rings, held against its own size.
    static func capacities(
        _ region: borrowing Mapping, size: Int64
    ) throws(SystemError) -> (host: UInt32, extension: UInt32, features: WireFeatures) {
        guard size >= Int64(ring) else { throw notARegion }
        // SAFETY: the mapping holds at least the first page, and the words were written before anybody had it.
        let (magic, version, host, extensionCapacity) = unsafe (
            region.start.load(fromByteOffset: magic, as: UInt32.self),
            region.start.load(fromByteOffset: version, as: UInt32.self),
            region.start.load(fromByteOffset: hostCapacity, as: UInt32.self),
            region.start.load(fromByteOffset: Self.extensionCapacity, as: UInt32.self)
        )
        guard magic == WireFormat.magic, version == WireFormat.version, host.nonzeroBitCount == 1,
            extensionCapacity.nonzeroBitCount == 1, Int64(Self.size(capacity: host)) == size
        else { throw notARegion }
        // SAFETY: as above.
        let features = unsafe region.start.load(fromByteOffset: features, as: UInt64.self)
        return (host, extensionCapacity, WireFeatures(rawValue: features))
    }

    private static var notARegion: SystemError {
        SystemError(
            "channel region", errno: EINVAL, mend: "host and extension must be built with the same wire version")
    }
}
