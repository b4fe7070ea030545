package import AnnexLinux
internal import AnnexPolicy

/// Why a sandbox could not be begun: the step, what the kernel said, and what mends it.
public struct SandboxError: Error, Sendable, Hashable {
    /// For example `control group`, `warden`, `filter`, or a step of the launch as `pivot`.
    public let step: String
    /// Why it failed, in a line.
    public let cause: String
    /// What the reader can do about it, where that is known.
    public let mend: String?
    /// Whether there is no program of that name.
    public let isMissing: Bool

    package init(_ step: String, _ error: SystemError, mend: String? = nil, isMissing: Bool = false) {
        self.step = step
        cause = error.cause
        self.mend = mend ?? error.mend
        self.isMissing = isMissing
    }

    package init(_ step: String, cause: String, mend: String? = nil, isMissing: Bool = false) {
        self.step = step
        self.cause = cause
        self.mend = mend
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
        mend = failure.mend
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
    public var description: String { "\(step): \(cause)" + (mend.map { "; \($0)" } ?? "") }
}
