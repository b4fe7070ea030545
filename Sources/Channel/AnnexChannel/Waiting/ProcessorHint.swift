internal import AnnexLinux

/// Which core each side waits on: looking for an answer is in vain while both share one.
///
/// Each says so in its own region when it begins to wait. The other side's word is a hint: false, it costs the one who
/// believes it some time within its own bounds.
struct ProcessorHint: Sendable {
    private let own: WritableWord
    private let peer: SharedWord
    private var told: UInt32 = 0

    init(own: WritableWord, peer: SharedWord) {
        self.own = own
        self.peer = peer
    }

    /// Says where this thread runs.
    /// - Returns: whether the other side was last heard of on the same core.
    mutating func isShared() -> Bool {
        let here = UInt32(bitPattern: Processor.current &+ 1)
        if here != told {
            told = here
            own.storeRelaxed(here)
        }
        return here != 0 && peer.loadRelaxed() == here
    }
}
