package import AnnexLinux

/// The reason why a trial could not be made. It says nothing about the technique.
package struct TrialFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ error: SystemError) {
        description = "\(error)"
    }
}
