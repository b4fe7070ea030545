internal import AnnexLinux
internal import AnnexMessages

// This file sends typed messages from the extension to its host.

extension ExtensionLookout {
    /// Sends a notice to the host; waits while the ring has no room.
    package func sendAndWait<Notice: ChannelNotice>(_ notice: borrowing Notice) throws(ExtensionFailure) {
        try send(ChannelEvent(method: Notice.method, payload: Self.encoded(notice)))
    }

    /// Sends a request to the host and waits for its response on this thread. During the wait, no tasks run.
    package func callAndWait<Asked: ChannelRequest>(
        _ request: borrowing Asked, timeout: Duration?
    ) throws(ExtensionFailure) -> Asked.Response {
        let answer = try core.call(
            Asked.method, payload: Self.encoded(request), until: timeout.map { MonotonicClock.deadline(after: $0) })
        return try Self.decoded(answer.bytes())
    }

    /// Sends a request to the host, and suspends the task until the response arrives.
    package nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration?
    ) async throws(ExtensionFailure) -> Asked.Response {
        let answer = try await core.call(
            suspending: Asked.method, payload: Self.encoded(request),
            until: timeout.map { MonotonicClock.deadline(after: $0) })
        return try Self.decoded(answer.bytes())
    }

    private static func encoded(_ message: borrowing some Message) throws(ExtensionFailure) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded()
        } catch {
            throw .unencodable(error)
        }
    }

    private static func decoded<Response: Message>(_ bytes: [UInt8]) throws(ExtensionFailure) -> Response {
        do throws(DecodingFailure) {
            return try Response(decoding: bytes)
        } catch {
            throw .unreadable(error)
        }
    }
}
