internal import Synchronization

/// Keeps one workspace for whoever calls next; who comes while another uses it makes one of his own.
@safe struct WorkspaceSlot: ~Copyable, Sendable {
    private let isTaken = Atomic<Bool>(false)
    // SAFETY: an address is not Sendable by itself; set once, and what it points to is touched only between winning
    // `isTaken` and giving it back.
    private nonisolated(unsafe) let kept: UnsafeMutablePointer<CallWorkspace?>

    init() {
        unsafe kept = .allocate(capacity: 1)
        unsafe kept.initialize(to: nil)
    }

    deinit {
        unsafe kept.deinitialize(count: 1)
        unsafe kept.deallocate()
    }

    /// A workspace for this thread alone, until it is given back.
    func take(_ make: (_ isKept: Bool) -> CallWorkspace) -> CallWorkspace {
        // SYNC: acquires what the last user wrote into the workspace before it gave it back.
        guard !isTaken.exchange(true, ordering: .acquiring) else { return make(false) }
        if let workspace = unsafe kept.pointee { return workspace }
        let workspace = make(true)
        unsafe kept.pointee = workspace
        return workspace
    }

    func giveBack(_ workspace: CallWorkspace) {
        if workspace.isKept { isTaken.store(false, ordering: .releasing) }
    }
}
