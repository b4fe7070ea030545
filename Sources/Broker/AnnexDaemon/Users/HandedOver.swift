internal import AnnexLinux
internal import Synchronization

/// Descriptors that a client sent, until the code that checks them takes them. The rest is closed on a lane, because
/// the last close of a file takes as long as its file system needs.
final class HandedOver: Sendable {
    private let list: Mutex<DescriptorList>
    let closing: Lane
    let count: Int
    /// The highest number of these descriptors; -1 if there are none.
    let highest: Int32

    init(_ list: consuming DescriptorList, closing: Lane) {
        count = list.count
        highest = list.numbers.max() ?? -1
        self.list = Mutex(list)
        self.closing = closing
    }

    deinit {
        letGo()
    }

    /// Closes the descriptors that were not taken.
    func letGo() {
        while let descriptor = takeFirst() {
            let number = descriptor.release()
            closing.run { _ = Descriptor(owning: number) }
        }
    }

    func takeFirst() -> Descriptor? {
        list.withLock { $0.takeFirst() }
    }
}
