internal import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexModel

// A typed call that succeeds sends no report to the broker, because the report would take longer than the call. So the
// broker cannot measure how long a typed call takes. Instead, the host's end of the channel applies the extension
// point's time limit.

extension ExtensionSession {
    /// Sends a request of the host's own type and returns its response. Cancelling the task cancels the call.
    ///
    /// If the response comes soon, the call returns it without suspending.
    /// - Parameters:
    ///   - request: the request. Its type names the type of the response.
    ///   - timeout: the longest wait. If it is nil, the extension point's limit for a request applies, and an extension
    ///     that exceeds this limit is ended.
    /// - Throws: `HostError.cancelled` with the error that the extension answered instead of a response. `.ended` if
    ///   the extension ended before it answered. `.unknownMethod` if the extension does not serve this type of request.
    ///   Also `.timedOut`, `.taskCancelled` and `.invalidRequest`.
    @inlinable public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(HostError) -> Asked.Response {
        let failure: CallFailure
        do throws(CallFailure) {
            let response = try await channel.call(request, timeout: timeout, patience: patience)
            if hasOrigin { noteAnswer() }
            return response
        } catch {
            failure = error
        }
        throw await callerError(for: failure, isOwnLimit: timeout == nil)
    }

    /// Does the same as `call`, for code without Swift concurrency. The call blocks this thread.
    @inlinable public func callAndWait<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) throws(HostError) -> Asked.Response {
        do throws(CallFailure) {
            let response = try channel.callAndWait(request, timeout: timeout, patience: patience)
            if hasOrigin { noteAnswer() }
            return response
        } catch {
            throw callerErrorAndWait(for: error, isOwnLimit: timeout == nil)
        }
    }

    /// Sends a notice, which has no answer. The call suspends while the channel has no room.
    /// - Parameters:
    ///   - notice: the notice to send.
    ///   - timeout: the longest wait for room; nil for the channel's `sendLimit`.
    public nonisolated(nonsending) func send<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) async throws(HostError) {
        let failure: CallFailure
        do throws(CallFailure) {
            return try await channel.send(notice, timeout: timeout)
        } catch {
            failure = error
        }
        throw await callerError(for: failure, isOwnLimit: false)
    }

    /// Does the same as `send`, for code without Swift concurrency. The call blocks this thread.
    public func sendAndWait<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) throws(HostError) {
        do throws(CallFailure) {
            try channel.sendAndWait(notice, timeout: timeout)
        } catch {
            throw callerErrorAndWait(for: error, isOwnLimit: false)
        }
    }

    /// The caller's error for a failed call. If the extension is ending, this method suspends until the end, and
    /// returns the end as the error.
    @usableFromInline nonisolated(nonsending) func callerError(for failure: CallFailure, isOwnLimit: Bool) async
        -> HostError
    {
        if let error = errorUnlessEnding(for: failure, isOwnLimit: isOwnLimit) { return error }
        return .ended(await link.ended.value())
    }

    /// Does the same as `callerError`, but blocks the thread instead of suspending.
    @usableFromInline func callerErrorAndWait(for failure: CallFailure, isOwnLimit: Bool) -> HostError {
        errorUnlessEnding(for: failure, isOwnLimit: isOwnLimit) ?? endAndWait()
    }

    /// The caller's error for a failed call; nil if the call failed because the extension is ending.
    private func errorUnlessEnding(for failure: CallFailure, isOwnLimit: Bool) -> HostError? {
        switch (DecodedAnswer(failure), failure) {
        case (_, .unreadable(let reason)):
            link.report { $0.violated(ProtocolViolation("a response that cannot be read: \(reason)")) }
        case (_, .deadlineExceeded) where isOwnLimit: link.report { $0.overstayed() }
        case (.error(let error), _): return error
        // A failed call does not prove that the extension has ended. After this report, the broker ends the extension
        // within a limited time.
        default: link.report { $0.channelClosed() }
        }
        return nil
    }
}
