internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Glibc

/// Decides which user a peer counts as. One user of a machine can have many user IDs: `/etc/subuid` gives most users
/// 65,536 of them, for user namespaces of their own. If each ID had a store and limits of its own, that user would have
/// 65,536 times the limits.
extension PeerIdentity {
    /// Why the machine's daemon does not serve this peer; nil if it does.
    func refusal() -> BrokerError? {
        do throws(SystemError) {
            return try isItsOwn() ? nil : Self.subIdentity(user)
        } catch {
            return BrokerError(
                .overQuota, "nothing tells whose user \(user) is: \(error.cause)", place: "annexd",
                remedy: "connect from outside of the container")
        }
    }

    private static func subIdentity(_ user: UInt32) -> BrokerError {
        BrokerError(
            .overQuota, "user \(user) is a number that another user gave itself in a user namespace", place: "annexd",
            remedy: "connect as that user, from outside of the container, or run a daemon in it: annexd")
    }

    /// Whether the user ID is the peer's own. That is so in three cases:
    /// - The peer is in this daemon's own user namespace.
    /// - The peer's user made the namespace that the peer is in.
    /// - Root made that namespace, and the user ID is the same inside and outside.
    private func isItsOwn() throws(SystemError) -> Bool {
        guard let own = try Self.ownNamespace() else { return true }
        var space = try UserNamespace(of: process, numbered: number)
        guard try !space.isSame(as: own) else { return try stillItsOwn(true) }
        // The outermost namespace counts, because inside it a user may create further ones as any user.
        while true {
            let parent = try space.parent()
            if try parent.isSame(as: own) { break }
            space = parent
        }
        let maker = try space.owner()
        return try stillItsOwn(maker == user || (maker == 0 && isMappedToItself()))
    }

    /// The namespaces were found by process ID. The answer holds only if the process has not ended meanwhile.
    private func stillItsOwn(_ answer: Bool) throws(SystemError) -> Bool {
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        return answer
    }

    /// nil on a kernel without user namespaces, on which every process has its user's own ID.
    private static func ownNamespace() throws(SystemError) -> UserNamespace? {
        do throws(SystemError) {
            return try UserNamespace.own()
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
    }

    /// Whether the user ID is the same inside and outside of the peer's namespace.
    private func isMappedToItself() -> Bool {
        guard let lines = UserMap(of: "\(number)") else { return false }
        return lines.ranges.contains { $0.inside == $0.outside && $0.inside <= user && user - $0.inside < $0.count }
    }
}
