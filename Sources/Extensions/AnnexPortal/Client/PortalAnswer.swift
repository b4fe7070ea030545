package import AnnexLinux
package import AnnexMessages
internal import Synchronization

/// The broker's answer to one request.
package final class PortalAnswer: Sendable {
    package let body: [UInt8]
    private let descriptors: Mutex<DescriptorList>

    /// A long body is not in the message, but in the memory of the first descriptor.
    init(_ delivery: PortalDelivery, descriptors: consuming DescriptorList) throws(PortalError) {
        var list = consume descriptors
        body = delivery.sealedBytes == 0 ? delivery.body : try Self.body(delivery.sealedBytes, from: list.takeFirst())
        self.descriptors = Mutex(list)
    }

    private static func body(_ count: UInt32, from memory: consuming Descriptor?) throws(PortalError) -> [UInt8] {
        guard let memory else { throw missingDescriptor }
        do throws(SystemError) {
            return try memory.read(at: 0, count: Int(count))
        } catch {
            throw PortalError(.system, what: "the broker's answer cannot be read: \(error.cause)", remedy: error.remedy)
        }
    }

    private static let missingDescriptor = PortalError(
        .system, what: "a descriptor is missing in the broker's answer",
        remedy: "close files that are not in use: this process may have reached its limit on open files")

    /// The first descriptor that was not taken yet. Descriptors that are never taken are closed when the answer is
    /// released.
    package func takeDescriptor() throws(PortalError) -> Descriptor {
        if let descriptor = descriptors.withLock({ $0.takeFirst() }) { return descriptor }
        throw Self.missingDescriptor
    }

    /// Decodes the body of the answer as a message.
    package func decoded<Body: Message>(
        as type: Body.Type = Body.self, within limits: MessageLimits = .standard
    ) throws(PortalError) -> Body {
        do throws(DecodingFailure) {
            return try Body(decoding: body, within: limits)
        } catch {
            throw PortalError(
                .system, what: "the broker's answer cannot be read: \(error)",
                remedy: "build the extension and its broker with the same version of Annex")
        }
    }
}

/// A request that has no answer yet.
final class PendingPortalCall: Sendable {
    private enum State {
        case waiting
        case suspended(CheckedContinuation<Result<PortalAnswer, PortalError>, Never>)
        case answered(Result<PortalAnswer, PortalError>)
    }

    private let state = Mutex(State.waiting)
    /// The place where a thread sleeps while it waits for the answer.
    let parker = Parker()

    /// Sets the result of the request. Later calls have no effect.
    func resolve(_ result: Result<PortalAnswer, PortalError>) {
        let continuation = state.withLock { state -> CheckedContinuation<Result<PortalAnswer, PortalError>, Never>? in
            switch state {
            case .waiting: state = .answered(result)
            case .answered: break
            case .suspended(let continuation):
                state = .answered(result)
                return continuation
            }
            return nil
        }
        continuation?.resume(returning: result)
        parker.unpark()
    }

    var result: Result<PortalAnswer, PortalError>? {
        state.withLock { if case .answered(let result) = $0 { result } else { nil } }
    }

    /// Suspends the task until the answer comes.
    nonisolated(nonsending) func wait() async -> Result<PortalAnswer, PortalError> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<PortalAnswer, PortalError>? in
                if case .answered(let result) = state { return result }
                state = .suspended(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
