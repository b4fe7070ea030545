internal import AnnexLinux
internal import Synchronization

/// Descriptors that a client sent, on their way to who looks at them. Whatever nobody took is closed where that may
/// last: the last close of a file takes as long as its file system likes.
final class HandedOver: Sendable {
    private let list: Mutex<DescriptorList>
    let closing: Lane
    let count: Int
    /// The highest of their numbers; -1 where there are none.
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

    /// Closes what nobody took, now.
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
