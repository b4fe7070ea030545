/// A system call that the sandbox refused.
public struct DeniedCall: Sendable, Hashable {
    /// The call as the kernel names it, for example `socket`.
    public let name: String
    /// Its arguments as the kernel's words, for example `["AF_INET", "SOCK_STREAM", "0"]`.
    public let arguments: [Escaped]
    /// The layer that refused, for example `seccomp`.
    public let layer: String
    /// The line that would allow it in a policy, where there is one.
    public let allowingLine: String?
    /// How often it was refused.
    public let count: Int
    /// Who called whom the first time, innermost first, as far as the program shows it.
    public let backtrace: [Escaped]

    public init(
        _ name: String, arguments: [Escaped] = [], layer: String, allowingLine: String? = nil, count: Int = 1,
        backtrace: [Escaped] = []
    ) {
        self.name = name
        self.arguments = arguments
        self.layer = layer
        self.allowingLine = allowingLine
        self.count = count
        self.backtrace = backtrace
    }
}

extension DeniedCall: CustomStringConvertible {
    public var description: String {
        let remedy = allowingLine.map { "; allowed by: \($0)" } ?? ""
        return "\(name)(\(arguments.map(\.description).joined(separator: ", "))) refused by \(layer)\(remedy)"
    }
}
