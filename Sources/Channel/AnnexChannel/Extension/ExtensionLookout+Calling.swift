package import AnnexLinux
internal import Glibc

extension ExtensionLookout {
    /// Calls the host for code that is working on a request. The thread answers pings while it waits.
    /// - Returns: the answer's bytes and descriptors.
    /// - Throws: `ExtensionFailure.failed` if the host answers with a failure.
    package func callAndWait(
        _ method: UInt16, payload: [UInt8]
    ) throws(ExtensionFailure) -> (bytes: [UInt8], descriptors: DescriptorBatch) {
        guard let frame = try core.answerFrame(method, payload: payload, until: nil) else { throw .deadlineExceeded }
        guard let list = try core.takeHandOver(frame) else {
            throw .system(SystemError("recvmsg", errno: EMFILE, remedy: "close files that are not in use any more"))
        }
        if case .failure(let code, let text)? = HostAnswer(frame) {
            throw .failed(code: code, text: text)
        }
        return (frame.payload, DescriptorBatch(list))
    }
}

/// Descriptors that came with an answer. Descriptors that are not taken are closed together with this object.
package final class DescriptorBatch {
    private var list: DescriptorList

    init(_ list: consuming DescriptorList) {
        self.list = list
    }

    /// The first descriptor that was not taken yet; nil if there is none.
    package func takeFirst() -> Descriptor? { list.takeFirst() }
}
