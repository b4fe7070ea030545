package import AnnexLinux

/// Why a trial could not be made, which says nothing about what it tries.
package struct TrialFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ error: SystemError) {
        description = "\(error)"
    }
}
