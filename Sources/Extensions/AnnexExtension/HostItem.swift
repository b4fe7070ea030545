internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Glibc

/// Contents that the host offered under a number. The extension loads the contents by this number.
struct HostItem: RemoteItem {
    let offer: ItemOffer
    let line: HostLine

    var size: Int? { offer.size }
    var isEditable: Bool { offer.isEditable }

    func open(_ waiting: LoadWaiting) throws(ItemFailure) -> Descriptor {
        let deadline = waiting.timeout.map { MonotonicClock.deadline(after: $0) }
        while true {
            let (reply, descriptor) = try line.ask(LoadMessage.loadMethod, about: offer.number)
            switch reply {
            case .refused(let refusal): throw refusal.failure
            case .done:
                guard let descriptor = descriptor.takeFirst() else { throw .failed("the host sent no file") }
                return descriptor
            case .pending(let progress):
                if let deadline, MonotonicClock.remaining(until: deadline) == 0 {
                    throw giveUp(.timedOut)
                }
                guard waiting.progress(Double(progress) / 1_000_000) else { throw giveUp(.cancelled) }
            }
        }
    }

    func beginVersion() throws(ItemFailure) -> Descriptor {
        let (reply, descriptor) = try line.ask(LoadMessage.writeMethod, about: offer.number)
        if case .refused(let refusal) = reply { throw refusal.failure }
        guard let file = descriptor.takeFirst() else { throw .failed("the host sent no file") }
        return file
    }

    func commitVersion() throws(ItemFailure) {
        if case .refused(let refusal) = try line.ask(LoadMessage.commitMethod, about: offer.number).0 {
            throw refusal.failure
        }
    }

    private func giveUp(_ failure: ItemFailure) -> ItemFailure {
        _ = try? line.ask(LoadMessage.cancelMethod, about: offer.number)
        return failure
    }
}

/// The channel to the host, which only the extension's first thread may use.
///
/// Items are `Sendable`, so any thread may hold an item. But only one thread may use the channel. An extension in a
/// sandbox has no other thread. Outside of a sandbox, a call from another thread is an error.
final class HostLine: @unchecked Sendable {
    private let lookout: ExtensionLookout
    private let thread = pthread_self()

    init(_ lookout: ExtensionLookout) {
        self.lookout = lookout
    }

    /// Returns a closure that makes an item of this host from an offer.
    var offers: @Sendable (ItemOffer) -> any RemoteItem { { HostItem(offer: $0, line: self) } }

    func ask(_ method: UInt16, about number: UInt64) throws(ItemFailure) -> (LoadReply, DescriptorBatch) {
        guard pthread_equal(thread, pthread_self()) != 0 else {
            throw .failed("an extension loads items on its first thread")
        }
        do {
            let answer = try lookout.callAndWait(method, payload: try LoadMessage(number: number).encoded())
            return (try LoadReply(decoding: answer.bytes), answer.descriptors)
        } catch ExtensionFailure.failed(_, let text) {
            throw .failed(text)
        } catch ExtensionFailure.system(let error) {
            throw .system(error)
        } catch {
            throw .failed("\(error)")
        }
    }
}
