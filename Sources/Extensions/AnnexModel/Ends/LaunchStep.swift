/// The step of a launch that failed, why, and what helps.
public struct LaunchStep: Sendable, Hashable {
    /// The step as the launch report names it, for example `pivot_root`.
    public let name: String
    /// Why it failed, in a line.
    public let cause: String
    /// What the reader can do about it, where that is known.
    public let remedy: String?

    public init(_ name: String, cause: String, remedy: String? = nil) {
        self.name = name
        self.cause = cause
        self.remedy = remedy
    }
}

extension LaunchStep: CustomStringConvertible {
    public var description: String {
        "\(name): \(cause)" + (remedy.map { "; \($0)" } ?? "")
    }
}
