package import AnnexLinux
internal import AnnexPolicy

/// Why a sandbox could not be begun: the step, what the kernel said, and the remedy.
public struct SandboxError: Error, Sendable, Hashable {
    /// For example `control group`, `warden`, `filter`, or a step of the launch as `pivot`.
    public let step: String
    /// Why it failed, in a line.
    public let cause: String
    /// What the reader can do about it, where that is known.
    public let remedy: String?
    /// Whether there is no program of that name.
    public let isMissing: Bool

    package init(_ step: String, _ error: SystemError, remedy: String? = nil, isMissing: Bool = false) {
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

    /// A step that the warden took.
    init(_ failure: LaunchFailure) {
        let about = failure.subject.map { "\($0): " } ?? ""
        step = failure.step.name
        cause =
            about
            + (failure.errno == 0
                ? "killed before its executable ran" : "\(Errno.name(failure.errno)) (\(Errno.text(failure.errno)))")
        remedy = failure.remedy
        isMissing = false
    }

    /// Runs a step whose failure is named after it.
    static func step<Result: ~Copyable>(
        _ name: String, _ body: () throws(SystemError) -> Result
    ) throws(SandboxError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw SandboxError(name, error)
        }
    }
}

extension SandboxError: CustomStringConvertible {
    public var description: String { "\(step): \(cause)" + (remedy.map { "; \($0)" } ?? "") }
}
