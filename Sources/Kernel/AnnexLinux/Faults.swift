internal import CAnnexLinux

/// Faults of this process: invalid addresses, traps and invalid instructions.
package enum Faults {
    /// From now on, each fault reports where it happened, by a harmless system call that the sandbox's listener sees.
    ///
    /// The process then ends as it would have without the report. A handler that exists already, or is installed later,
    /// has precedence.
    package static func tell() {
        annex_tell_of_faults()
    }
}
