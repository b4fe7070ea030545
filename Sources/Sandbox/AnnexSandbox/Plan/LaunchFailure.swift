internal import AnnexLinux
internal import Glibc

/// A launch that came to nothing: at which step, with what errno, about what, and the remedy. Nothing is left of it.
package struct LaunchFailure: Error, Sendable, Hashable {
    package let step: LaunchStep
    /// The kernel's; 0 where the process was killed before its executable ran.
    package let errno: Int32
    /// What the step was about, where that is known: a path, a limit.
    package let subject: String?
    /// What the reader can do about it, where that is known.
    package let remedy: String?

    package init(_ step: LaunchStep, errno: Int32, subject: String? = nil, remedy: String? = nil) {
        self.step = step
        self.errno = errno
        self.subject = subject
        self.remedy = remedy
    }

    static let invalid = EINVAL

    /// Whether no step failed: it was killed before its executable ran.
    var isDeath: Bool { errno == 0 }
}

extension LaunchFailure: CustomStringConvertible {
    package var description: String {
        let about = subject.map { " \($0)" } ?? ""
        let what = errno == 0 ? "killed before its executable ran" : "\(Errno.name(errno)) (\(Errno.text(errno)))"
        let remedy = remedy.map { "; \($0)" } ?? ""
        return "\(step.name)\(about): \(what)\(remedy)"
    }
}
