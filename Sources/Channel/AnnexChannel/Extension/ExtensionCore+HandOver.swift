internal import AnnexLinux

// Descriptors that come from the host, with its requests and with its answers. The host sends them ahead of their
// frame. This side may pass on frames in an order that differs from the order of their descriptors. For example, it
// puts requests aside while it waits for an answer. So it finds the descriptors of a frame (a hand-over) by their tag
// (`DescriptorTag`).
extension ExtensionCore {
    /// Receives the descriptors that the host sent ahead of this frame. If the descriptors are not in the socket now,
    /// they will never arrive.
    /// - Returns: nil if this process has no descriptor numbers left.
    func takeHandOver(_ frame: Frame) throws(ExtensionFailure) -> DescriptorList? {
        guard frame.descriptors > 0 else { return DescriptorList() }
        let tag = DescriptorTag(
            call: DescriptorTag.call(frame.call, isHosted: frame.kind != .request), count: UInt32(frame.descriptors))
        if let place = handedOver.firstIndex(where: { $0.tag.call == tag.call }) {
            return try handedOver.remove(at: place).take(for: tag)
        }
        while true {
            let next = try nextHandOver(for: frame)
            guard next.tag.call != tag.call else { return try next.take(for: tag) }
            handedOver.append(next)
        }
    }

    /// The outcome in a reply or failure of the host, with the descriptors that the host sent ahead of it.
    func answer(in frame: Frame) throws(ExtensionFailure) -> HostAnswer {
        guard frame.descriptors > 0 else { return HostAnswer(frame, bringing: nil) }
        return HostAnswer(frame, bringing: DescriptorBatch(try takeHandOver(frame)))
    }

    private func nextHandOver(for frame: Frame) throws(ExtensionFailure) -> EarlyHandOver {
        let reception: ControlReception
        do throws(SystemError) {
            reception = try control.receive(atMost: DescriptorTag.size)
        } catch {
            throw .system(error)
        }
        switch consume reception {
        case .nothing: throw .violated(.descriptorsMissing(call: frame.call))
        case .end: throw .ended
        case .message(var message):
            guard let tag = DescriptorTag(message.bytes) else {
                throw .violated(.descriptorsMissing(call: frame.call))
            }
            return EarlyHandOver(tag, list: message.takeDescriptors(), wasCut: message.descriptorsWereCut)
        }
    }
}

/// One message of descriptors from the host.
final class EarlyHandOver {
    let tag: DescriptorTag
    private var list: DescriptorList
    private let wasCut: Bool

    init(_ tag: DescriptorTag, list: consuming DescriptorList, wasCut: Bool) {
        self.tag = tag
        self.list = list
        self.wasCut = wasCut
    }

    /// - Parameter wanted: the tag that the frame requires.
    /// - Returns: nil if some descriptors were lost, because this process has no descriptor numbers left.
    func take(for wanted: DescriptorTag) throws(ExtensionFailure) -> DescriptorList? {
        if wasCut { return nil }
        guard tag == wanted, list.count == Int(wanted.count) else {
            throw .violated(.descriptorsMissing(call: wanted.call))
        }
        var taken = DescriptorList()
        swap(&taken, &list)
        return taken
    }
}
