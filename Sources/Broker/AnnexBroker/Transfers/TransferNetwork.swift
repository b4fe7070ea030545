internal import AnnexLinux
internal import Synchronization

/// Whether other machines can be reached. While they cannot, no task is begun, and the agent does not run. The kernel
/// says when that changes, so nothing polls.
final class TransferNetwork: Sendable {
    private struct State: ~Copyable {
        var changes: Descriptor?
        var watch: EventLoop.Watch?
    }

    private let loop: EventLoop
    private let isThere: @Sendable () -> Bool
    private let state = Mutex(State())

    /// - Parameter isThere: whether the machine has a network. Tests have a network of their own.
    init(on loop: EventLoop, isThere: @escaping @Sendable () -> Bool = { MachineNetwork.isThere }) {
        self.loop = loop
        self.isThere = isThere
    }

    deinit { end() }

    /// Whether there is a network now. If there is none, `back` is called once when there is one.
    func isThere(otherwise back: @escaping @Sendable () -> Void) -> Bool {
        if isThere() { return true }
        do throws(SystemError) {
            try begin(back)
        } catch {
            // Without news of the kernel, the tasks fail and are tried again after a pause.
            return true
        }
        // The network may have come back before the watch began.
        guard isThere() else { return false }
        end()
        return true
    }

    private func begin(_ back: @escaping @Sendable () -> Void) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            if state.watch != nil { return }
            let changes = try MachineNetwork.changes()
            state.watch = try loop.watch(changes.number) { [weak self] _ in self?.changed(back) }
            state.changes = consume changes
        }
    }

    private func changed(_ back: @Sendable () -> Void) {
        state.withLock { state in
            switch state.changes {
            case .some(let changes): MachineNetwork.drain(changes)
            case .none: break
            }
        }
        guard isThere() else { return }
        end()
        back()
    }

    private func end() {
        state.withLock { state in
            state.watch.take()?.cancel()
            state.changes = nil
        }
    }
}
