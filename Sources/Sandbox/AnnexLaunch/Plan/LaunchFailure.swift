internal import AnnexLinux
internal import Glibc

/// A launch that failed: the step, the errno, what it was about, and the remedy. Nothing of the launch is left.
package struct LaunchFailure: Error, Sendable, Hashable {
    package let step: LaunchStep
    /// The kernel's errno; 0 if the process was killed before its executable ran.
    package let errno: Int32
    /// What the step was about, such as a path or a limit; nil if that is not known.
    package let subject: String?
    /// What the reader can do about it; nil if that is not known.
    package let remedy: String?

    package init(_ step: LaunchStep, errno: Int32, subject: String? = nil, remedy: String? = nil) {
        self.step = step
        self.errno = errno
        self.subject = subject
        self.remedy = remedy
    }

    static let invalid = EINVAL

    /// Whether the process was killed before its executable ran, without a step that failed.
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
