internal import AnnexPortal
internal import Synchronization

/// The members that hold background sessions. One process holds a session at a time, and gets the session's news.
final class SessionHolders: Sendable {
    /// One member that holds a session.
    struct Holder: Sendable {
        weak let connection: PortalConnection?
        let group: OpenGroup
        let member: String
        let number: UInt64
        /// The identifier of the session.
        let identifier: String
    }

    private let holders = Mutex<[Int64: Holder]>([:])
    /// Told of each change of a session. The service sets this.
    private let teller = Mutex<(@Sendable (Holder, _ isProgress: Bool) -> Void)?>(nil)

    func setTeller(_ teller: @escaping @Sendable (Holder, _ isProgress: Bool) -> Void) {
        self.teller.withLock { $0 = teller }
    }

    /// Lets a member hold a session.
    /// - Returns: the other member that holds the session; nil if the session was free, or if this member holds it.
    func hold(_ session: Int64, by holder: Holder) -> Holder? {
        holders.withLock { holders in
            if let other = holders[session], other.number != holder.number { return other }
            // SYNC: each connection is marked as over before the service forgets it. So no session is held for a
            // connection that the service has already forgotten.
            guard holder.connection?.isOver == false else { return nil }
            holders[session] = holder
            return nil
        }
    }

    var isEmpty: Bool { holders.withLock { $0.isEmpty } }

    func isHeld(_ session: Int64) -> Bool { holders.withLock { $0[session] != nil } }

    func isHeld(_ session: Int64, by connection: UInt64) -> Bool {
        holders.withLock { $0[session]?.number == connection }
    }

    /// Frees a session that this connection holds.
    func free(_ session: Int64, of connection: UInt64) -> Bool {
        holders.withLock { holders in
            guard holders[session]?.number == connection else { return false }
            holders[session] = nil
            return true
        }
    }

    /// Frees all sessions of a connection.
    /// - Returns: the sessions.
    func freeAll(of connection: UInt64) -> [Int64] {
        holders.withLock { holders in
            let freed = holders.filter { $0.value.number == connection }.map(\.key)
            for session in freed { holders[session] = nil }
            return freed
        }
    }

    func tell(_ session: Int64) { tell(session, isProgress: false) }

    func tellOfProgress(_ session: Int64) { tell(session, isProgress: true) }

    private func tell(_ session: Int64, isProgress: Bool) {
        guard let holder = holders.withLock({ $0[session] }) else { return }
        teller.withLock { $0 }?(holder, isProgress)
    }
}
