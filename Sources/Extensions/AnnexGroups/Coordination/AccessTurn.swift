internal import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal

/// The work of a coordinator to get its accesses. The turn first tries to take these accesses. If the attempt fails,
/// the turn waits for releases and tries again.
///
/// While some member waits, each member locks the gates of its accesses (`AccessLocks.takeGate`) before it takes the
/// accesses. A coordinator that already holds an access skips the gates, because the members that wait for a gate may
/// also wait for this access.
struct AccessTurn {
    private let coordination: GroupCoordination
    private let accesses: [ItemAccess]
    private let owner: UInt64
    private let isNested: Bool
    private let deadline: UInt64
    private var gates = 0
    private var count: UInt32?
    private(set) var isWaiting = false

    init(
        _ accesses: [ItemAccess], of owner: UInt64, isNested: Bool, in coordination: GroupCoordination,
        within limit: Duration
    ) {
        // All coordinators take locks in the same order, folders before their items. So no two turns wait for each
        // other.
        self.accesses = accesses.sorted {
            ($0.range.start, $1.range.length) < ($1.range.start, $0.range.length)
        }
        self.owner = owner
        self.isNested = isNested
        self.coordination = coordination
        deadline = MonotonicClock.deadline(after: limit)
    }

    private var group: JoinedGroup { coordination.group }

    // MARK: Attempts

    /// Tries to take the accesses.
    mutating func attempt() throws(PortalError) -> Bool {
        do throws(SystemError) {
            guard try passGates(), try coordination.locks.take(accesses, of: owner) else { return false }
        } catch {
            throw PortalError(.system, what: "a lock cannot be taken: \(error.cause)", remedy: error.remedy)
        }
        leaveGates()
        return true
    }

    private mutating func passGates() throws(SystemError) -> Bool {
        guard !isNested, isWaiting || group.word(GroupWords.waiters) != 0 else { return true }
        while gates < accesses.count {
            guard try coordination.locks.takeGate(accesses[gates]) else {
                if !isWaiting { leaveGates() }
                return false
            }
            gates += 1
        }
        return true
    }

    private mutating func leaveGates() {
        for access in accesses[..<gates] { coordination.locks.leaveGate(access) }
        gates = 0
    }

    /// Ends the accesses.
    /// - Returns: whether other members wait. If so, the caller must tell them of the release.
    func release() -> Bool {
        coordination.locks.release(accesses, of: owner)
        return coordination.hasWaiting
    }

    // MARK: Waiting

    /// The body of the next request to the broker. The caller sends this request before the next attempt.
    mutating func question() throws(PortalError) -> [UInt8] {
        isWaiting = true
        return try PortalRequest.body(ReleaseCount(count: count))
    }

    /// Takes the broker's answer to `question`.
    mutating func answered(_ answer: PortalAnswer) throws(PortalError) {
        count = try answer.decoded(as: ReleaseCount.self).count
    }

    var isLate: Bool { MonotonicClock.now() >= deadline }

    /// Ends the waiting. Call this function when a turn that has waited is over, whether it got its accesses or not.
    mutating func stopWaiting() {
        leaveGates()
        guard isWaiting else { return }
        isWaiting = false
        // After this message, the broker no longer counts this member as waiting, and the members that wait for the
        // gates try again. If the broker is gone, the message is not needed, so its failure is ignored.
        try? group.portal.tell(CoordinationMethod.stopWaiting, group: group.identifier)
    }

    /// The requests that ask for the holders of the items that this turn waits for.
    func holderQuestions() throws(PortalError) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        for access in accesses {
            bodies.append(
                try PortalRequest.body(LockQuestion(start: access.range.start, length: access.range.length)))
        }
        return bodies
    }

    /// The error `timedOut`, which names the holders. The caller throws it if the time limit has passed.
    func timeout(_ holders: [String]) -> PortalError {
        let items = accesses.map { "\(Escaped($0.path.text.isEmpty ? "." : $0.path.text, limit: 200))" }
        let others = holders.isEmpty ? "another member" : holders.joined(separator: " and ")
        return PortalError(
            .timedOut, what: "\(items.joined(separator: " and ")) is still in use by \(others)",
            remedy: "try again later, or with a longer time limit")
    }
}
