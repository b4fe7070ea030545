internal import AnnexLinux
internal import Synchronization

/// Removed files whose last descriptors are not closed yet.
///
/// The last close of a removed file lasts until the file system has freed the file's blocks, which can take longer than
/// the copy of the file. So no member waits for this close.
final class RemovedFiles: Sendable {
    static let shared = RemovedFiles()
    /// How many files may wait. Further files are closed at once.
    private static let most = 64

    private let row = Lane.Row(of: .slow)
    private let waiting = Mutex(DescriptorList())

    /// Keeps a removed file open until `close`.
    func keep(_ file: borrowing Descriptor) {
        guard waiting.withLock({ $0.count < Self.most }), let copy = try? file.duplicate() else { return }
        var list = DescriptorList(copy)
        waiting.withLock { waiting in
            while let file = list.takeFirst() { waiting.append(file) }
        }
    }

    /// Closes all files that wait, and returns at once.
    func close() {
        guard waiting.withLock({ !$0.isEmpty }) else { return }
        row.run { [self] in while let file = waiting.withLock({ $0.takeFirst() }) { _ = consume file } }
    }
}
