public import AnnexModel
public import AnnexService

/// Why a host got no answer.
public enum HostError: Error, Sendable {
    /// The broker did not launch the extension: unknown, a bundle or policy that breaks a rule, or no means.
    case refused(ServiceError)
    /// The extension ended before it answered; the end says why.
    case ended(Termination)
    /// The extension gave the request up with an error of its own.
    case cancelled(ExtensionError)
    /// The time that the host gave this request is over. The extension may still be at work.
    case timedOut
    /// The request cannot be sent: what is wrong with it.
    case invalidRequest(String)
}

extension HostError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .ended(let end): "the extension ended: \(end)"
        case .cancelled(let error): "the extension gave up: \(error)"
        case .timedOut: "no answer in the time given"
        case .invalidRequest(let what): "the request cannot be sent: \(what)"
        }
    }
}
