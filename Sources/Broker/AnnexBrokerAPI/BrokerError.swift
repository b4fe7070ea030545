/// Why a broker rejected a request: the problem, its place and the remedy.
public struct BrokerError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    public enum Code: String, Sendable, Hashable {
        /// No extension with this identifier is installed.
        case unknownExtension
        /// No app with this identifier is installed.
        case unknownApp
        /// No such version of the app is installed.
        case unknownVersion
        /// The extension belongs to a version of its app that is not used, because another version is used.
        case superseded
        /// The user switched the extension off.
        case disabled
        /// The extension failed again and again, before it was ready or for this origin. It is not launched until a pause
        /// is over.
        case heldBack
        /// The bundle breaks a rule of packaging.
        case invalidBundle
        /// The app is not signed by the team that it belongs to.
        case untrustedTeam
        /// The app is signed, but is older than the installed version.
        case olderVersion
        /// The extension names a point that the broker does not have. The name may be misspelled, or be the name of a
        /// policy.
        case unsupportedPoint
        /// The extension does not ask for the entitlement, or the user cannot decide about it.
        case wrongEntitlement
        /// The extension serves another point than its host expects.
        case otherPoint
        /// No policy can be read for the extension's point, or a file of the host's own policies is wrong.
        case invalidPolicy
        /// A file of the host's own extension points is wrong.
        case invalidPoint
        /// The extension's private directory exceeds its limit, so the extension is not launched.
        case privateDirectoryFull
        /// The host wants to record the channel of an extension whose input is private.
        case privateInput
        /// A launch ahead of requests got no instance slot, because every slot is taken or another launch waits for a
        /// slot.
        case noSlot
        /// The name of an origin is too long.
        case invalidOrigin
        /// The text is not a URL with which an app can be opened.
        case invalidURL
        /// The user has reached a quota of this daemon, for example for open connections, installed apps or running
        /// extensions.
        case overQuota
        /// No daemon listens at the socket, or the daemon has ended or does not answer.
        case unreachable
        /// The machine denied the broker something that it needs.
        case system
    }

    /// The kind of error.
    public let code: Code
    /// The problem, in one line.
    public let what: String
    /// The identifier or file that the error is about.
    public let place: String
    /// The remedy; nil if it is not known.
    public let remedy: String?

    package init(_ code: Code, what: String, place: String, remedy: String? = nil) {
        self.code = code
        self.what = what
        self.place = place
        self.remedy = remedy
    }
}

extension BrokerError: CustomStringConvertible {
    public var description: String {
        "\(place): \(what)" + (remedy.map { "; \($0)" } ?? "")
    }
}
