/// A system call that the sandbox denied.
public struct DeniedCall: Sendable, Hashable {
    /// The call as the kernel names it, for example `socket`.
    public let name: String
    /// The call's arguments in the kernel's names, for example `["AF_INET", "SOCK_STREAM", "0"]`.
    public let arguments: [Escaped]
    /// The layer of the sandbox that denied it, for example `seccomp`.
    public let layer: String
    /// The line of a policy that would allow the call; nil if no line can.
    public let allowingLine: String?
    /// How often the call was denied.
    public let count: Int
    /// The call stack of the first denial, innermost frame first. Empty if the program does not reveal its stack.
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
