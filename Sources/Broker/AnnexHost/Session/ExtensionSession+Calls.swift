internal import AnnexBrokerAPI
public import AnnexChannel
internal import AnnexModel

// Typed calls tell the broker nothing while all goes well: that would cost more than the call. The host's end of the
// channel holds the extension point's time limit instead.

extension ExtensionSession {
    /// Sends a request of the host's own kind and returns its response. Cancelling the task cancels the call.
    ///
    /// A response that comes soon is returned without suspending.
    /// - Parameter timeout: how long to wait at most; nil: as long as the extension point allows a request, and an
    ///   extension that takes longer is ended.
    /// - Throws: `HostError.cancelled` with what the extension said instead of a response, `.ended` with the reason when
    ///   it ended before it answered, `.timedOut`, `.taskCancelled`, `.unknownMethod` if it does not serve such requests,
    ///   `.invalidRequest`.
    @inlinable public nonisolated(nonsending) func call<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) async throws(HostError) -> Asked.Response {
        let failure: CallFailure
        do throws(CallFailure) {
            return try await channel.call(request, timeout: timeout, patience: patience)
        } catch {
            failure = error
        }
        throw await judged(failure, isOwnLimit: timeout == nil)
    }

    /// The same for code without Swift concurrency: waits on this thread.
    @inlinable public func callAndWait<Asked: ChannelRequest>(
        _ request: Asked, timeout: Duration? = nil
    ) throws(HostError) -> Asked.Response {
        do throws(CallFailure) {
            return try channel.callAndWait(request, timeout: timeout, patience: patience)
        } catch {
            throw judgedAndWaited(error, isOwnLimit: timeout == nil)
        }
    }

    /// Sends a notice, which has no answer; suspends while the channel has no room.
    /// - Parameter timeout: how long to wait for room at most; nil: the channel's `sendLimit`.
    public nonisolated(nonsending) func send<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) async throws(HostError) {
        let failure: CallFailure
        do throws(CallFailure) {
            return try await channel.send(notice, timeout: timeout)
        } catch {
            failure = error
        }
        throw await judged(failure, isOwnLimit: false)
    }

    /// The same for code without Swift concurrency: waits on this thread.
    public func sendAndWait<Notice: ChannelNotice>(
        _ notice: borrowing Notice, timeout: Duration? = nil
    ) throws(HostError) {
        do throws(CallFailure) {
            try channel.sendAndWait(notice, timeout: timeout)
        } catch {
            throw judgedAndWaited(error, isOwnLimit: false)
        }
    }

    /// What a failed call means for its caller, once it is known.
    @usableFromInline nonisolated(nonsending) func judged(_ failure: CallFailure, isOwnLimit: Bool) async -> HostError {
        if let error = judge(failure, isOwnLimit: isOwnLimit) { return error }
        return .ended(await link.ended.value())
    }

    /// The same for a thread.
    @usableFromInline func judgedAndWaited(_ failure: CallFailure, isOwnLimit: Bool) -> HostError {
        judge(failure, isOwnLimit: isOwnLimit) ?? endAndWait()
    }

    /// What a failed call means for its caller; nil where it means the extension's end, which is then under way.
    private func judge(_ failure: CallFailure, isOwnLimit: Bool) -> HostError? {
        switch (Answer(failure), failure) {
        case (_, .unreadable(let reason)):
            link.tell { $0.violated(ProtocolViolation("a response that cannot be read: \(reason)")) }
        case (_, .deadlineExceeded) where isOwnLimit: link.tell { $0.overstayed() }
        case (.error(let error), _): return error
        // Bounds the wait: that no more can be said to it proves not that it has ended.
        default: link.tell { $0.channelClosed() }
        }
        return nil
    }
}
