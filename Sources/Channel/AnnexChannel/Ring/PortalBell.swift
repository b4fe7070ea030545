package import AnnexLinux
internal import Glibc

/// Wakes an extension because a message waits in its portal. The portal is a socket between extension and broker.
///
/// An extension has one thread, which sleeps on the bell of its channel. No descriptor wakes this thread. So the broker
/// changes a word in the extension's region, and rings the bell.
package final class PortalBell: Sendable {
    private let mapping: Mapping
    private let portal: Bell
    private let bell: Bell

    /// - Parameter region: the memory region that the extension writes. A host made this region.
    /// - Throws: `EINVAL` if the memory could shrink, because an access to the missing part would end this process.
    package init(_ region: borrowing Descriptor) throws(SystemError) {
        guard try region.seals().isSuperset(of: .fixedSize), try region.status().size >= Int64(RegionLayout.ring) else {
            throw SystemError(
                "channel region", errno: EINVAL, remedy: "build host and broker with the same version of Annex")
        }
        mapping = try Mapping(region, size: RegionLayout.ring, writable: true)
        try mapping.keepFromChildren()
        // SAFETY: both offsets are aligned and inside the first page, which stays mapped as long as this object lives.
        let start = unsafe mapping.start
        portal = unsafe Bell((start + RegionLayout.portal).assumingMemoryBound(to: UInt32.self))
        bell = unsafe Bell((start + RegionLayout.bell).assumingMemoryBound(to: UInt32.self))
    }

    /// Wakes the extension. The message must be in the portal already.
    package func ring() {
        // SYNC: the portal's word changes before the bell. So an extension that reads the bell's new value also reads
        // the new value of the portal's word.
        portal.change()
        bell.ring()
    }
}

/// The extension's view of the word that its broker changes.
struct PortalWord {
    private let word: SharedWord
    private var seen: UInt32
    /// A handler that is called after the word has changed. The handler must not use the channel.
    private let onChange: () -> Void

    init(_ word: SharedWord, onChange: @escaping () -> Void) {
        self.word = word
        self.onChange = onChange
        // This value makes the first check report a change. So messages that arrived before the check are found.
        seen = word.loadAcquire() &- 1
    }

    var hasChanged: Bool { word.loadAcquire() != seen }

    /// Calls the handler if the word has changed since the last call.
    mutating func pass() -> Bool {
        let now = word.loadAcquire()
        guard now != seen else { return false }
        seen = now
        onChange()
        return true
    }
}
