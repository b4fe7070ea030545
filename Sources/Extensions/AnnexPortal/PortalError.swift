/// An error that says why the broker could not fulfil a request. An extension or a containing app sends such requests
/// through its portal, the connection to the broker.
public struct PortalError: Error, Sendable, Hashable {
    /// The kind of failure.
    public enum Code: UInt16, Sendable, Hashable, CaseIterable {
        /// This process has no portal. Either no broker started the process, or extensions of its point get no
        /// portal.
        case unavailable = 1
        /// The process is not a member of the group.
        case notMember
        /// The extension point, or the user, does not allow the request.
        case notAllowed
        /// An argument breaks a rule.
        case invalid
        /// A limit of the group is reached. Nothing was changed.
        case full
        /// Another member has changed the values since they were read. Nothing was changed.
        case changed
        /// Nothing with this name exists.
        case notFound
        /// The time limit has passed.
        case timedOut
        /// The caller cancelled the request.
        case cancelled
        /// The broker has ended.
        case gone
        /// The group's data on disk cannot be used. Nothing was changed.
        case damaged
        /// A system call of the broker failed.
        case system
        /// Another process holds what was asked for.
        case busy
    }

    public let code: Code
    /// The failure, for a person to read.
    public let what: String
    /// How to remedy the failure; nil if the remedy is not known.
    public let remedy: String?

    public init(_ code: Code, what: String, remedy: String? = nil) {
        self.code = code
        self.what = what
        self.remedy = remedy
    }
}

extension PortalError: CustomStringConvertible {
    public var description: String { what + (remedy.map { "; \($0)" } ?? "") }
}

extension PortalError {
    /// There is no portal in this process.
    package static let noPortal = PortalError(
        .unavailable, what: "this process has no portal",
        remedy: "declare an application group in the entitlements, sign the app, and grant the entitlement")

    package static let brokerGone = PortalError(.gone, what: "the broker has ended")

    package static let cancelled = PortalError(.cancelled, what: "the task was cancelled")

    package static let deadlinePassed = PortalError(.timedOut, what: "the broker gave no answer in time")
}
