package import AnnexLinux
package import AnnexPortal
internal import Synchronization

/// A group that this process has joined, as an extension or app that is a member of the group. An object that `named`
/// returns lives as long as the process.
package final class JoinedGroup: Sendable {
    package let identifier: String
    /// The absolute path of the container.
    package let container: String
    package let portal: PortalClient
    /// A descriptor of the group's file of locks. Only this member uses the descriptor's open file description.
    package let locks: Descriptor
    private let words: Mapping

    private init(_ identifier: String, portal: PortalClient) throws(PortalError) {
        let answer = try portal.call(GroupMethod.join, group: identifier)
        self.identifier = identifier
        self.portal = portal
        let terms = try answer.decoded(as: GroupTerms.self)
        container = terms.container
        let page = try answer.takeDescriptor()
        locks = if let number = terms.locks { Descriptor(owning: number) } else { try answer.takeDescriptor() }
        do throws(SystemError) {
            // A broker made the file with this size, and no member can change the file.
            words = try Mapping(page, size: GroupWords.size, writable: false)
        } catch {
            throw PortalError(.system, what: "the group \(identifier) cannot be joined: \(error.cause)")
        }
    }

    /// Reads a word of the group's page, which brokers write and members map for reading.
    /// - Parameter offset: one of `GroupWords`.
    package func word(_ offset: Int) -> UInt32 {
        // SAFETY: the offset lies in the page, which stays mapped as long as this object lives.
        // SYNC: after this load, everything that the broker did before it changed the word is visible.
        unsafe SharedWord((words.start + offset).assumingMemoryBound(to: UInt32.self)).loadAcquire()
    }

    // MARK: Joining

    private static let joined = Mutex<[String: JoinedGroup]>([:])

    /// The group of this process with this identifier. The first call joins the group.
    /// - Throws: `unavailable` if the process has no portal; `notMember` if the process is not a member of the group.
    package static func named(_ identifier: String) throws(PortalError) -> JoinedGroup {
        if let known = joined.withLock({ $0[identifier] }) { return known }
        let made = try JoinedGroup(identifier, portal: Portal.ofThisProcess())
        return joined.withLock { joined in
            // Another thread may have joined the group meanwhile.
            if let known = joined[identifier] { return known }
            joined[identifier] = made
            return made
        }
    }

    /// Joins a group through a portal other than this process's own.
    package static func join(_ identifier: String, through portal: PortalClient) throws(PortalError) -> JoinedGroup {
        try JoinedGroup(identifier, portal: portal)
    }
}
