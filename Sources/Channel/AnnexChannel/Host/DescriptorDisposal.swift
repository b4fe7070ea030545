internal import AnnexLinux
internal import Synchronization

/// Closes what a peer handed over and nobody takes, on a thread of its own that ends when there is nothing left.
///
/// The last close of a socket lasts as long as its maker has set (`SO_LINGER`), that of a file as long as its file
/// system likes: neither is a reason to hold up the thread that reads for everybody.
final class DescriptorDisposal: Sendable {
    private struct State: ~Copyable {
        var waiting = DescriptorList()
        var isClosing = false
    }

    /// As many may wait for one that does not close; whoever brings more is stopped.
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
            // No thread to be had: what waits is closed with the next that comes.
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
