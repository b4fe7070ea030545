/// Why an extension gave a request up, in its own words.
public struct ExtensionError: Error, Sendable, Hashable {
    /// A number within the domain.
    public let code: Int64
    /// Whose number it is, in reverse DNS.
    public let domain: String
    /// One sentence for the user; the extension's text, so escape it before it is shown.
    public let localizedDescription: String

    public init(code: Int64, domain: String, localizedDescription: String) {
        self.code = code
        self.domain = domain
        self.localizedDescription = localizedDescription
    }
}

extension ExtensionError: CustomStringConvertible {
    /// Safe to show, whatever the extension wrote.
    public var description: String { "\(Escaped(localizedDescription)) (\(Escaped(domain, limit: 128)) \(code))" }
}

extension ExtensionError {
    /// The domain of errors that Annex itself gives in an extension's stead. Codes of typed calls are `HandlerFailure`'s.
    public static let annexDomain = "annex.extension"

    /// The domain of a `HandlerFailure`: its code is one that host and extension have agreed on.
    public static let handlerDomain = "annex.handler"

    /// The principal object returned without completing or cancelling.
    public static let returnedWithoutAnswer = ExtensionError(
        code: 1, domain: annexDomain, localizedDescription: "The extension returned without an answer.")

    /// The user, or the host in the user's name, did not want the result any more.
    public static let userCancelled = ExtensionError(
        code: 2, domain: annexDomain, localizedDescription: "The request was cancelled.")
}
