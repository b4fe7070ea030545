package import AnnexLinux
internal import AnnexPolicy

/// Why a sandbox could not be started: the step that failed, the cause, and the remedy.
public struct SandboxError: Error, Sendable, Hashable {
    /// The step that failed, for example `control group`, `warden`, `filter`, or a step of the launch such as `pivot`.
    public let step: String
    /// Why the step failed, in one line.
    public let cause: String
    /// The remedy; nil if no remedy is known.
    public let remedy: String?
    /// Whether the error is that no program has the requested name.
    public let isMissing: Bool

    package init(_ step: String, error: SystemError, remedy: String? = nil, isMissing: Bool = false) {
        self.step = step
        cause = error.cause
        self.remedy = remedy ?? error.remedy
        self.isMissing = isMissing
    }

    package init(_ step: String, cause: String, remedy: String? = nil, isMissing: Bool = false) {
        self.step = step
        self.cause = cause
        self.remedy = remedy
        self.isMissing = isMissing
    }

    /// Makes an error for a step that the warden performed.
    /// - Parameter advice: how the owner of the launcher can do without a layer.
    init(_ failure: LaunchFailure, advice: LayerAdvice) {
        let about = failure.subject.map { "\($0): " } ?? ""
        step = failure.step.name
        cause =
            about
            + (failure.errno == 0
                ? "killed before its executable ran" : "\(Errno.name(failure.errno)) (\(Errno.text(failure.errno)))")
        remedy = advice.remedy(failure.remedy, doingWithout: failure.dispensable)
        isMissing = false
    }

    /// Runs a step, and names the step in its error.
    package static func step<Result: ~Copyable>(
        _ name: String, _ body: () throws(SystemError) -> Result
    ) throws(SandboxError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw SandboxError(name, error: error)
        }
    }
}

extension SandboxError: CustomStringConvertible {
    public var description: String { "\(step): \(cause)" + (remedy.map { "; \($0)" } ?? "") }
}
