public import AnnexBrokerAPI
internal import AnnexChannel
public import AnnexModel

/// Why a host got no answer.
///
/// Print the error with `"\(error)"`: the text states the problem in one line, and the remedy if one is known. The text
/// is safe to show, even if it contains data from the extension. Foundation's `localizedDescription` does not give this
/// text, because AnnexHost does not use Foundation and its `LocalizedError`.
public enum HostError: Error, Sendable {
    /// The broker did not launch the extension. For example, the extension is unknown, its bundle or policy breaks a
    /// rule, or the machine lacks resources.
    case rejected(BrokerError)
    /// The extension ended before it answered. The value states the reason.
    case ended(Termination)
    /// The extension answered the request with its own error. The error's domain names the author of the error code:
    /// - `ExtensionError.handlerDomain`: a `HandlerFailure` of the extension
    /// - `ExtensionError.annexDomain`: Annex, which answered in place of the extension
    /// - any other domain: the extension
    case cancelled(ExtensionError)
    /// The host's own task was cancelled while it waited, or the host has cancelled the stream. No extension can cause
    /// this error.
    case taskCancelled
    /// The extension does not serve this kind of request. An `AppExtension` serves items and the types of requests that
    /// it registers. A `ChannelService` serves only the types of requests that it was made with.
    case unknownMethod
    /// The request's timeout has passed. The extension may still be working on the request.
    case timedOut
    /// The request cannot be sent. The text states the reason.
    case invalidRequest(String)
}

extension HostError {
    /// The error of a blocking call on the event loop's thread. This call would have to wait for its own thread.
    static let onEventLoop = HostError.invalidRequest("\(CallFailure.onEventLoop)")
}

extension HostError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .rejected(let error): "\(error)"
        case .ended(let end): "the extension ended: \(end)"
        case .cancelled(let error): "the extension answered with an error: \(error)"
        case .taskCancelled: "the host cancelled its task or its stream"
        case .unknownMethod:
            "the extension does not serve this kind of request: an AppExtension serves items and the types that it "
                + "registers, and a ChannelService serves only its own types"
        case .timedOut: "the extension did not answer within the timeout"
        case .invalidRequest(let what): "the request cannot be sent: \(what)"
        }
    }
}
