/// A request that a broker refuses: what, where, and the remedy.
public struct BrokerError: Error, Sendable, Hashable {
    public enum Code: String, Sendable, Hashable {
        /// No extension of this identifier is installed.
        case unknownExtension
        /// No app of this identifier is installed.
        case unknownApp
        /// The user switched the extension off.
        case disabled
        /// The extension failed again and again, and has to pause before it is started once more.
        case heldBack
        /// The bundle breaks a rule of packaging.
        case invalidBundle
        /// The extension names a point that Annex does not know: a misspelt one, or the name of a general policy.
        case unknownPoint
        /// The extension is for another point than its host expects.
        case otherPoint
        /// No policy can be read for the extension's point.
        case invalidPolicy
        /// An extension was to be launched ahead, and every place is taken or waited for.
        case noPlace
        /// More is open, installed or running than one user may have with this daemon.
        case overQuota
        /// There is no daemon at the socket, or it has gone, or it does not answer.
        case unreachable
        /// The machine refused something that the broker itself needs.
        case system
    }

    public let code: Code
    /// What went wrong, in a line.
    public let what: String
    /// The identifier or file that it is about.
    public let place: String
    /// What the reader can do about it, where that is known.
    public let remedy: String?

    package init(_ code: Code, _ what: String, place: String, remedy: String? = nil) {
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
