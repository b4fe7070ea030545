internal import AnnexLinux

extension ExtensionEndpoint {
    /// Calls the host and waits for its answer on this thread. Requests that come meanwhile wait.
    /// - Parameter timeout: nil: without limit.
    /// - Throws: `ExtensionFailure.failed` with what the host said instead of an answer.
    public borrowing func callAndWait(
        _ method: UInt16, _ payload: [UInt8] = [], timeout: Duration? = nil
    ) throws(ExtensionFailure) -> [UInt8] {
        guard core.host.contains(.hostedCalls) else { throw .unsupported }
        let deadline = timeout.map { MonotonicClock.deadline(after: $0) }
        switch try core.call(method, payload, until: deadline) {
        case .reply(let bytes): return bytes
        case .failure(let code, let text): throw .failed(code: code, text: text)
        case .tooLate: throw .deadlineExceeded
        }
    }

    /// Sends the host a request and waits for its response.
    public borrowing func callAndWait<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration? = nil
    ) throws(ExtensionFailure) -> Asked.Response {
        let bytes = try callAndWait(Asked.method, encoded(request), timeout: timeout)
        do throws(DecodingFailure) {
            return try Asked.Response(decoding: bytes)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Sends the host a notice; waits while the host has no room.
    public borrowing func sendAndWait<Notice: ChannelNotice>(_ notice: borrowing Notice) throws(ExtensionFailure) {
        try sendAndWait(ChannelEvent(method: Notice.method, payload: encoded(notice)))
    }

    private borrowing func encoded(_ message: borrowing some Message) throws(ExtensionFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded()
        } catch {
            throw .unencodable(error)
        }
    }
}
