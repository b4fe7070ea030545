/// The step of a launch that failed, its cause, and the remedy.
public struct LaunchStep: Sendable, Hashable {
    /// The step's name in the launch report, for example `pivot_root`.
    public let name: String
    /// Why it failed, in a line.
    public let cause: String
    /// What the reader can do about it; nil if that is not known.
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
