public import AnnexChannel

/// The error with which an extension cancelled a request.
public struct ExtensionError: Error, Sendable, Hashable {
    /// The error's number within its domain.
    public let code: Int64
    /// The domain that defines the code, in reverse DNS.
    public let domain: String
    /// One sentence for the user. The extension wrote this text, so escape the text before you show it.
    public let localizedDescription: String

    public init(code: Int64, domain: String, localizedDescription: String) {
        self.code = code
        self.domain = domain
        self.localizedDescription = localizedDescription
    }
}

extension ExtensionError: CustomStringConvertible {
    /// The error in one line, which is escaped and therefore safe to show.
    public var description: String { "\(Escaped(localizedDescription)) (\(Escaped(domain, limit: 128)) \(code))" }
}

extension ExtensionError {
    /// The domain of the errors that Annex sends on an extension's behalf. The codes from 0xFFFF_FF00 on are the
    /// codes of `HandlerFailure` that are reserved for Annex.
    public static let annexDomain = "annex.extension"

    /// The domain of a `HandlerFailure` with a code below 0xFFFF_FF00. The host and the extension agree on these
    /// codes.
    public static let handlerDomain = "annex.handler"

    /// The principal object returned without completing or cancelling the request.
    public static let returnedWithoutAnswer = ExtensionError(
        code: 1, domain: annexDomain, localizedDescription: "The extension returned without an answer.")

    /// The user, or the host on the user's behalf, no longer wants the result.
    public static let userCancelled = ExtensionError(
        code: 2, domain: annexDomain, localizedDescription: "The request was cancelled.")

    /// A photo-editing extension answered without a picture or without adjustment data.
    public static let noEditedPicture = ExtensionError(
        code: 8, domain: annexDomain,
        localizedDescription: "The extension answered without one picture and its adjustment data.")
}

extension ExtensionError: Message {
    public func encode(into encoder: inout MessageEncoder) {
        encoder.encode(code, as: 1)
        encoder.encode(domain, as: 2)
        encoder.encode(localizedDescription, as: 3)
    }

    public init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        code = try decoder.decode(1)
        domain = try decoder.decode(2)
        localizedDescription = try decoder.decode(3, default: "")
    }
}
