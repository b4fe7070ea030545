import AnnexLinux

/// Lets a thread wait until another thread opens the gate. Each opening lets one wait pass.
final class Gate: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws {
        let pipe = try DescriptorPair.pipe()
        reading = try pipe.first.duplicate()
        writing = try pipe.second.duplicate()
    }

    /// Errors are ignored, because a failure would show as a hang of the waiting side. The time limit ends such a hang.
    func open() {
        try? writing.writeAll([1])
    }

    func wait() throws {
        _ = try reading.readSome(atMost: 1)
    }
}
