internal import AnnexMessages

extension ExtensionEndpoint {
    /// Sends a request to the host and waits for its response.
    /// - Parameter timeout: the longest wait; nil: no limit.
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

    /// Sends a notice to the host; waits while the ring has no room.
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
