import AnnexLinux

/// Lets a thread wait until another lets it pass; once for each opening.
final class Gate: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws {
        let pipe = try DescriptorPair.pipe()
        reading = try pipe.first.duplicate()
        writing = try pipe.second.duplicate()
    }

    /// Nothing can fail here that would not show as a hang of the waiting side, which the time limit ends.
    func open() {
        try? writing.writeAll([1])
    }

    func wait() throws {
        _ = try reading.readSome(atMost: 1)
    }
}
