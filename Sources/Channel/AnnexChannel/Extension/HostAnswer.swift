package import AnnexLinux
internal import Glibc
internal import Synchronization

/// The outcome of a call to the host.
enum HostAnswer: Sendable {
    /// The bytes, and the descriptors that came with them; nil if none came.
    case reply([UInt8], DescriptorBatch?)
    case failure(code: UInt32, text: String)
    case tooLate
    /// The task that waited was cancelled.
    case cancelled

    /// Reads a reply or a failure. The descriptors of a failure are closed.
    init(_ frame: Frame, bringing descriptors: DescriptorBatch?) {
        guard frame.kind == .failure else {
            self = .reply(frame.payload, descriptors)
            return
        }
        let code = WireBytes.number(frame.payload, at: 0, as: UInt32.self) ?? 0
        self = .failure(code: code, text: String(decoding: frame.payload.dropFirst(4), as: UTF8.self))
    }

    /// The answer's bytes. The descriptors that came with them are closed.
    func bytes() throws(ExtensionFailure) -> [UInt8] { try content().bytes }

    /// The answer's bytes and descriptors.
    func handOver() throws(ExtensionFailure) -> HostHandOver {
        let content = try content()
        guard content.descriptors?.isWhole ?? true else {
            throw .system(SystemError("recvmsg", errno: EMFILE, remedy: "close files that are not in use any more"))
        }
        return content
    }

    private func content() throws(ExtensionFailure) -> HostHandOver {
        switch self {
        case .reply(let bytes, let descriptors): return HostHandOver(bytes: bytes, descriptors: descriptors)
        case .failure(let code, let text): throw .failed(code: code, text: text)
        case .tooLate: throw .deadlineExceeded
        case .cancelled: throw .cancelled
        }
    }
}

/// The host's answer to a call that asks for files.
package struct HostHandOver: Sendable {
    package let bytes: [UInt8]
    let descriptors: DescriptorBatch?

    /// The first descriptor that was not taken yet; nil if there is none.
    package func takeFirst() -> Descriptor? { descriptors?.takeFirst() }
}

/// Descriptors that came with an answer. Descriptors that are not taken are closed together with this object.
final class DescriptorBatch: Sendable {
    private let list: Mutex<DescriptorList>
    /// False if some descriptors were lost, because this process has no descriptor numbers left.
    let isWhole: Bool

    /// - Parameter list: the descriptors; nil if some were lost.
    init(_ list: consuming DescriptorList?) {
        if let list {
            self.list = Mutex(list)
            isWhole = true
        } else {
            self.list = Mutex(DescriptorList())
            isWhole = false
        }
    }

    func takeFirst() -> Descriptor? { list.withLock { $0.takeFirst() } }
}
