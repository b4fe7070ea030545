internal import AnnexLinux
internal import Glibc

extension RegionLayout {
    /// What a host's region says.
    struct Description {
        let host: (capacity: UInt32, arena: UInt32)
        let `extension`: (capacity: UInt32, arena: UInt32)
        let largestMessage: UInt32
        let features: WireFeatures
    }

    /// What the host's region says about both rings and arenas, held against its own size.
    static func description(_ region: borrowing Mapping, size: Int64) throws(SystemError) -> Description {
        guard size >= Int64(ring) else { throw notARegion }
        let start = unsafe region.start
        // SAFETY: the mapping holds at least the first page, and the words were written before anybody had it.
        func word(_ offset: Int) -> UInt32 { unsafe start.load(fromByteOffset: offset, as: UInt32.self) }
        let (host, arena) = (word(hostCapacity), word(hostArena))
        let (other, otherArena) = (word(extensionCapacity), word(extensionArena))
        guard word(magic) == WireFormat.magic, word(version) == WireFormat.version, host.nonzeroBitCount == 1,
            other.nonzeroBitCount == 1, ArenaBytes.isSize(arena), ArenaBytes.isSize(otherArena),
            Int64(Self.size(capacity: host, arena: arena)) == size
        else { throw notARegion }
        // SAFETY: as above.
        let features = unsafe start.load(fromByteOffset: features, as: UInt64.self)
        return Description(
            host: (host, arena), extension: (other, otherArena), largestMessage: word(largestMessage),
            features: WireFeatures(rawValue: features))
    }

    private static var notARegion: SystemError {
        SystemError(
            "channel region", errno: EINVAL, mend: "host and extension must be built with the same wire version")
    }
}
