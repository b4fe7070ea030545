/// The reason why the broker started a containing app.
///
/// The broker states the reason in the app's only argument. A URL is stated as it is. Every other reason is stated in
/// the scheme `annex-start`, which no app can register and in which no URL can be opened. So a URL that an extension
/// asks to open is never read as another reason.
///
/// Later versions add reasons, so a `switch` over this type needs a `default`.
public enum StartReason: Sendable, Hashable {
    /// The app opens a URL whose scheme it registers.
    case url(AppURL)
    /// All transfers of a background session have ended, and no process holds the session. The value is the session's
    /// identifier. Apple's counterpart is `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    case backgroundSession(String)
}

extension StartReason {
    /// The scheme of all reasons that are no URLs.
    package static let scheme = "annex-start"

    /// The words for reasons in arguments, between the scheme and the slash.
    private enum Kind: String {
        case backgroundSession = "background-session"
    }

    /// The app's argument: a URL, or `annex-start:KIND/VALUE`.
    package var argument: String {
        switch self {
        case .url(let url): url.text
        case .backgroundSession(let identifier):
            "\(Self.scheme):\(Kind.backgroundSession.rawValue)/\(identifier)"
        }
    }

    /// Whether the app is started without the user's wish to see it. Such an app gets no screen.
    package var isInBackground: Bool {
        switch self {
        case .url: false
        case .backgroundSession: true
        }
    }

    /// Reads the only argument of an app. Any program may have made the argument.
    /// - Parameter schemes: the URL schemes that the app registers, in lower case.
    /// - Returns: nil if the argument states no reason that this version knows. There is one spelling of each reason,
    ///   and every other spelling is refused.
    package init?(argument: String, ofAppRegistering schemes: [String]) {
        let prefix = "\(Self.scheme):"
        guard argument.utf8.starts(with: prefix.utf8) else {
            guard let url = try? AppURL(argument), schemes.contains(url.scheme) else { return nil }
            self = .url(url)
            return
        }
        let words = argument.dropFirst(prefix.count)
        let parts = words.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])) else { return nil }
        let value = String(parts[1])
        switch kind {
        case .backgroundSession:
            guard SessionIdentifier.isValid(value) else { return nil }
            self = .backgroundSession(value)
        }
    }
}

/// The rule for the identifiers of background sessions, which are sets of uploads and downloads.
package enum SessionIdentifier {
    package static let mostBytes = 128

    /// Whether the text is an identifier in the reverse order of a domain name, such as `com.example.todo.sync`: two or
    /// more parts of ASCII letters, digits, hyphens and underscores. So the text is safe as a file name and as an
    /// argument.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count <= mostBytes else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2 && parts.allSatisfy(isPart)
    }

    private static func isPart(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, isWord(first) else { return false }
        return bytes.allSatisfy { isWord($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
