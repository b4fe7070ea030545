package import AnnexLinux
internal import AnnexPolicy

/// Why a sandbox could not even be begun: the step, what the kernel said, and what mends it.
package struct SandboxError: Error, Sendable, Hashable {
    /// For example `control group`, `warden`, `filter`.
    package let step: String
    package let cause: String
    package let mend: String?

    package init(_ step: String, _ error: SystemError, mend: String? = nil) {
        self.step = step
        cause = error.cause
        self.mend = mend ?? error.mend
    }

    init(_ step: String, cause: String, mend: String? = nil) {
        self.step = step
        self.cause = cause
        self.mend = mend
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
    package var description: String { "\(step): \(cause)" + (mend.map { "; \($0)" } ?? "") }
}
