extension Termination {
    /// The fact that explains an end beyond its reason. Text that comes from the extension is escaped.
    public enum Detail: Sendable, Hashable {
        case none
        /// The process's own exit code.
        case exitCode(Int32)
        /// The signal that ended the process.
        case signal(Signal)
        /// The limit that was exceeded, for example "64 MiB of 64 MiB".
        case limit(String)
        /// The call that was denied.
        case deniedCall(DeniedCall)
        /// The rule of the channel that was broken.
        case violation(Escaped)
        /// The step of the launch that failed.
        case step(LaunchStep)
        /// The extension's own error.
        case error(ExtensionError)
    }
}

extension Termination.Detail: CustomStringConvertible {
    public var description: String {
        switch self {
        case .none: ""
        case .exitCode(let code): "exit code \(code)"
        case .signal(let signal): signal.description
        case .limit(let text): text
        case .deniedCall(let call): call.description
        case .violation(let text): text.description
        case .step(let step): step.description
        case .error(let error): error.description
        }
    }
}
