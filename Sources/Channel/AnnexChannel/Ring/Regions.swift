internal import AnnexLinux

/// The region that this side writes, and nobody else, but for the bell.
@safe struct OwnRegion: ~Copyable, Sendable {
    let mapping: Mapping
    let ring: RingBytes
    let arena: ArenaBytes
    let consumed: WritableWord
    let receiver: WritableWord
    let sender: WritableWord
    let processor: WritableWord
    /// What the host rings.
    let bell: SharedWord

    /// `mapping` is writable and holds a region of this capacity.
    init(_ mapping: consuming Mapping, capacity: UInt32, arena: UInt32 = 0) {
        // SAFETY: every offset lies inside the first page, and ring and arena fill the rest.
        let start = unsafe mapping.start
        func word(_ offset: Int) -> WritableWord {
            unsafe WritableWord((start + offset).assumingMemoryBound(to: UInt32.self))
        }
        ring = unsafe RingBytes(start: start + RegionLayout.ring, capacity: capacity)
        self.arena = unsafe ArenaBytes(start: start + RegionLayout.size(capacity: capacity), size: arena)
        consumed = word(RegionLayout.consumed)
        receiver = word(RegionLayout.receiver)
        sender = word(RegionLayout.sender)
        processor = word(RegionLayout.processor)
        // SAFETY: as above.
        bell = unsafe SharedWord((start + RegionLayout.bell).assumingMemoryBound(to: UInt32.self))
        self.mapping = mapping
    }

    /// Says which layout follows. Done by the host, before anybody else has the region.
    func describe(_ description: RegionLayout.Description) {
        let start = unsafe mapping.start
        for (offset, value) in [
            (RegionLayout.magic, WireFormat.magic), (RegionLayout.version, WireFormat.version),
            (RegionLayout.hostCapacity, description.host.capacity),
            (RegionLayout.extensionCapacity, description.extension.capacity),
            (RegionLayout.hostArena, description.host.arena),
            (RegionLayout.extensionArena, description.extension.arena),
            (RegionLayout.largestMessage, description.largestMessage),
        ] {
            // SAFETY: aligned and inside the first page.
            unsafe start.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
        }
        unsafe start.storeBytes(
            of: description.features.rawValue, toByteOffset: RegionLayout.features, as: UInt64.self)
    }
}

/// The region that the other side writes; this side only reads it, but for the bell.
@safe struct PeerRegion: ~Copyable, Sendable {
    let mapping: Mapping
    let ring: RingBytes
    let arena: ArenaBytes
    let consumed: SharedWord
    let receiver: SharedWord
    let sender: SharedWord
    let processor: SharedWord
    /// Nil where this side may not write: it is no host.
    let bell: Bell?

    /// `mapping` holds a region of this capacity.
    init(_ mapping: consuming Mapping, capacity: UInt32, arena: UInt32 = 0) {
        // SAFETY: every offset lies inside the first page, and ring and arena fill the rest.
        let start = unsafe mapping.start
        func word(_ offset: Int) -> SharedWord {
            unsafe SharedWord((start + offset).assumingMemoryBound(to: UInt32.self))
        }
        ring = unsafe RingBytes(start: start + RegionLayout.ring, capacity: capacity)
        self.arena = unsafe ArenaBytes(start: start + RegionLayout.size(capacity: capacity), size: arena)
        consumed = word(RegionLayout.consumed)
        receiver = word(RegionLayout.receiver)
        sender = word(RegionLayout.sender)
        processor = word(RegionLayout.processor)
        // SAFETY: as above.
        bell = mapping.isWritable ? unsafe Bell((start + RegionLayout.bell).assumingMemoryBound(to: UInt32.self)) : nil
        self.mapping = mapping
    }
}
