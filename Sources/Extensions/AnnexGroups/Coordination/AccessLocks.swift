internal import AnnexLinux
internal import AnnexPortal
internal import Synchronization

/// The locks of this process in one group: the table of the accesses that its file coordinators hold, and the
/// kernel's locks for these accesses. An access is the right to read or write one item.
final class AccessLocks: Sendable {
    private let group: JoinedGroup
    private let held = Mutex(HeldAccesses())

    init(_ group: JoinedGroup) {
        self.group = group
    }

    /// Takes all of these accesses, or none of them. The call does not wait.
    func take(_ accesses: [ItemAccess], of owner: UInt64) throws(SystemError) -> Bool {
        try held.withLock { (held) throws(SystemError) in
            for (index, access) in accesses.enumerated() {
                var isTaken = false
                defer { if !isTaken { release(accesses[..<index], of: owner, from: &held) } }
                guard !held.excludes(access, of: owner), try lock(access, besides: held) else { return false }
                held.add(access, of: owner)
                isTaken = true
            }
            return true
        }
    }

    /// Locks the range of an access. If the locks that the process already holds cover the access, no new lock is
    /// needed.
    private func lock(_ access: ItemAccess, besides held: HeldAccesses) throws(SystemError) -> Bool {
        let wanted: Descriptor.Lock = access.isWriting ? .exclusive : .shared
        switch held.isEmpty ? nil : held.lock(over: access.range) {
        case .exclusive: return true
        case .shared where !access.isWriting: return true
        default: break
        }
        guard !held.isEmpty, !access.isWriting else { return try group.locks.lock(access.range, as: wanted) }
        return try lockForReading(access.range, besides: held)
    }

    /// Locks a range for reading. Accesses of the same coordinator may have locked parts of the range for writing.
    /// These locks stay.
    private func lockForReading(_ range: FileRange, besides held: HeldAccesses) throws(SystemError) -> Bool {
        for part in held.parts(of: range) where part.lock == nil {
            guard try group.locks.lock(part.range, as: .shared) else {
                settle(range, by: held)
                return false
            }
        }
        return true
    }

    func release(_ accesses: [ItemAccess], of owner: UInt64) {
        held.withLock { release(accesses[...], of: owner, from: &$0) }
    }

    private func release(_ accesses: ArraySlice<ItemAccess>, of owner: UInt64, from held: inout HeldAccesses) {
        for access in accesses.reversed() {
            held.remove(access, of: owner)
            settle(access.range, by: held)
        }
    }

    /// Reduces the locks of a range to the locks that the accesses in the table need. The call never takes a new
    /// lock, so a lock of another process cannot make the call fail.
    private func settle(_ range: FileRange, by held: HeldAccesses) {
        for part in held.parts(of: range) {
            switch part.lock {
            case nil: group.locks.unlock(part.range)
            case .shared: _ = try? group.locks.lock(part.range, as: .shared)
            case .exclusive: break
            }
        }
    }

    // MARK: Gates

    /// Locks the gate of an access: a second range in the file of locks. While members wait, a coordinator locks the
    /// gate before the range of the item. A writer that waits holds its gates. So later readers cannot overtake the
    /// writer again and again.
    func takeGate(_ access: ItemAccess) throws(SystemError) -> Bool {
        try group.locks.lock(access.range.gate, as: access.isWriting ? .exclusive : .shared)
    }

    func leaveGate(_ access: ItemAccess) { group.locks.unlock(access.range.gate) }
}
