/// How much of a request's work an extension has done, as the extension reports it.
public struct RequestProgress: Sendable, Hashable {
    /// The most bytes of a text.
    package static let longestText = 256

    /// The part of the work that is done, between 0 and 1. A later report of the extension may also have a smaller
    /// value.
    public let fraction: Double
    /// A short text for the user, at most 256 bytes; nil if the extension gave none. The extension wrote this text,
    /// so escape the text before you show it.
    public let text: String?

    package init(fraction: Double, text: String?) {
        self.fraction = fraction
        self.text = text
    }
}

extension RequestProgress: CustomStringConvertible {
    /// The progress in one line, such as `40 %: reading`. The line is escaped and therefore safe to show.
    public var description: String {
        let percent = "\(Int((fraction * 100).rounded(.down))) %"
        return text.map { "\(percent): \(Escaped($0))" } ?? percent
    }
}
