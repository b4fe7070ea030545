internal import AnnexLinux
internal import Synchronization

/// Closes descriptors from a peer that no call takes, on a thread that ends when none is left.
///
/// The last close of a socket lasts as long as its maker has set (`SO_LINGER`), and that of a file as long as its file
/// system needs. Neither may delay the thread that reads the ring for all callers.
final class DescriptorDisposal: Sendable {
    private struct State: ~Copyable {
        var waiting = DescriptorList()
        var isClosing = false
    }

    /// How many descriptors may wait behind one that does not close. A peer that sends more violates the channel's
    /// rules.
    static let mostWaiting = 64

    private let state = Mutex(State())

    var isFull: Bool { state.withLock { $0.waiting.count >= DescriptorDisposal.mostWaiting } }

    func close(_ list: consuming DescriptorList) {
        guard !list.isEmpty else { return }
        var list = list
        let mustStart = state.withLock { state in
            while let descriptor = list.takeFirst() { state.waiting.append(descriptor) }
            defer { state.isClosing = true }
            return !state.isClosing
        }
        guard mustStart else { return }
        do throws(SystemError) {
            _ = try WorkerThread("annex-closing") { [self] in closeAll() }
        } catch {
            // No thread could be started: the descriptors that wait are closed with the next ones.
            state.withLock { $0.isClosing = false }
        }
    }

    private func closeAll() {
        while let descriptor = next() { _ = consume descriptor }
    }

    private func next() -> Descriptor? {
        state.withLock { state in
            let first = state.waiting.takeFirst()
            if first == nil { state.isClosing = false }
            return first
        }
    }
}
