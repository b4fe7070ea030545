public import AnnexBrokerAPI
internal import AnnexChannel
public import AnnexModel

/// Why a host got no answer.
///
/// Print it, `"\(error)"`: each case says in a line what went wrong, and the remedy if one is known. It is safe to
/// show, also what an extension wrote. Foundation's `localizedDescription` does not know it: AnnexHost does without
/// Foundation, whose `LocalizedError` that would need.
public enum HostError: Error, Sendable {
    /// The broker did not launch the extension: unknown, a bundle or policy that breaks a rule, or no means.
    case refused(BrokerError)
    /// The extension ended before it answered; the end says why.
    case ended(Termination)
    /// The extension gave the request up with an error of its own. Its domain says whose number the code is:
    /// `ExtensionError.handlerDomain` for a `HandlerFailure`, `ExtensionError.annexDomain` if Annex answered in the
    /// extension's stead, any other for an error that the extension made itself.
    case cancelled(ExtensionError)
    /// The host's own task was cancelled while it waited. An extension cannot answer this.
    case taskCancelled
    /// The extension does not serve what it was asked: an `AppExtension` serves items, a `ChannelService` the types of
    /// requests that it was made with.
    case unknownMethod
    /// The time that the host gave this request is over. The extension may still be at work.
    case timedOut
    /// The request cannot be sent: what is wrong with it.
    case invalidRequest(String)
}

extension HostError {
    /// What a blocking call on the event loop's thread comes to where it would have to wait for that thread.
    static let onEventLoop = HostError.invalidRequest("\(CallFailure.onEventLoop)")
}

extension HostError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .ended(let end): "the extension ended: \(end)"
        case .cancelled(let error): "the extension gave up: \(error)"
        case .taskCancelled: "the host's task was cancelled"
        case .unknownMethod:
            "the extension does not serve such a request: an AppExtension serves items, a ChannelService its own types"
        case .timedOut: "no answer in the time given"
        case .invalidRequest(let what): "the request cannot be sent: \(what)"
        }
    }
}
