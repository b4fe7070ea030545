import AnnexLinux
import Synchronization

/// An event that happens once on another thread. This thread waits for it.
final class Signal: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws {
        let pipe = try DescriptorPair.pipe()
        reading = try pipe.first.duplicate()
        writing = try pipe.second.duplicate()
    }

    /// Errors are ignored, because a failure would show as a hang of the waiting side. The time limit ends such a hang.
    func send() {
        try? writing.writeAll([1])
    }

    func wait() throws {
        _ = try reading.readSome(atMost: 1)
    }
}

/// A flag that threads share.
final class Flag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .sequentiallyConsistent) }

    func set() {
        flag.store(true, ordering: .sequentiallyConsistent)
    }
}
