internal import AnnexBrokerAPI
internal import AnnexLinux
internal import Glibc

/// Whose user a peer's is. A user of this machine can be many: `/etc/subuid` gives most of them 65,536 numbers, to be used
/// in a user namespace of their own. Each number with a store and limits of its own would be that many times the limits.
extension PeerIdentity {
    /// Why the machine's daemon serves no such peer; nil where it does.
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

    /// Whether the peer is in this daemon's own user namespace; or has the number of whoever made the namespace that it
    /// is in; or root made that namespace and left the number what it is.
    private func isItsOwn() throws(SystemError) -> Bool {
        guard let own = try Self.ownNamespace() else { return true }
        var space = try UserNamespace(of: process, numbered: number)
        guard try !space.isSame(as: own) else { return try stillItsOwn(true) }
        // The outermost one counts: within his own, a user may make others as anybody.
        while true {
            let parent = try space.parent()
            if try parent.isSame(as: own) { break }
            space = parent
        }
        let maker = try space.owner()
        return try stillItsOwn(maker == user || (maker == 0 && isMappedToItself()))
    }

    /// What was found by the process's number: it was that process's if it has not ended since.
    private func stillItsOwn(_ answer: Bool) throws(SystemError) -> Bool {
        guard !process.hasEnded else { throw SystemError("pidfd", errno: ESRCH) }
        return answer
    }

    /// Nil on a kernel without user namespaces: there, nobody has another number than his own.
    private static func ownNamespace() throws(SystemError) -> UserNamespace? {
        do throws(SystemError) {
            return try UserNamespace.own()
        } catch {
            if error.errno == ENOENT { return nil }
            throw error
        }
    }

    /// Whether the number inside the peer's namespace is the same as outside.
    private func isMappedToItself() -> Bool {
        guard let lines = UserMap(of: "\(number)") else { return false }
        return lines.ranges.contains { $0.inside == $0.outside && $0.inside <= user && user - $0.inside < $0.count }
    }
}
