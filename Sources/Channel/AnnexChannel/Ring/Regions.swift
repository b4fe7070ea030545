internal import AnnexLinux

/// The memory region that this side writes. In this region, the other side may write only the bell.
@safe struct OwnRegion: ~Copyable, Sendable {
    let mapping: Mapping
    let ring: RingBytes
    let arena: ArenaBytes
    let consumed: WritableWord
    let receiver: WritableWord
    let sender: WritableWord
    let processor: WritableWord
    /// The word that the host changes to wake this side.
    let bell: SharedWord
    /// The word that the broker changes if the portal, its socket to this side, has a message.
    let portal: SharedWord

    /// - Parameter mapping: a writable mapping of a region with this capacity.
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
        // SAFETY: every offset lies inside the first page.
        bell = unsafe SharedWord((start + RegionLayout.bell).assumingMemoryBound(to: UInt32.self))
        portal = unsafe SharedWord((start + RegionLayout.portal).assumingMemoryBound(to: UInt32.self))
        self.mapping = mapping
    }

    /// Writes the description of the layout. The host does this before any other process has the region.
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
            // SAFETY: the offset is aligned and inside the first page.
            unsafe start.storeBytes(of: value, toByteOffset: offset, as: UInt32.self)
        }
        unsafe start.storeBytes(
            of: description.features.rawValue, toByteOffset: RegionLayout.features, as: UInt64.self)
    }
}

/// The memory region that the other side writes. This side only reads it, except for the bell.
@safe struct PeerRegion: ~Copyable, Sendable {
    let mapping: Mapping
    let ring: RingBytes
    let arena: ArenaBytes
    let consumed: SharedWord
    let receiver: SharedWord
    let sender: SharedWord
    let processor: SharedWord
    /// The word with which the host wakes the extension; nil on the extension's side, because an extension cannot write
    /// the host's region.
    let bell: Bell?

    /// - Parameter mapping: a mapping of a region with this capacity.
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
        // SAFETY: every offset lies inside the first page.
        bell = mapping.isWritable ? unsafe Bell((start + RegionLayout.bell).assumingMemoryBound(to: UInt32.self)) : nil
        self.mapping = mapping
    }
}
