internal import CAnnexLinux

/// Faults of this process: bad addresses, traps, instructions that are none.
package enum Faults {
    /// From now on each tells where it happened, by a call that does nothing but reach who listens to refused calls.
    /// The process ends as it would have ended without. A handler that is there, or is installed later, has precedence.
    package static func tell() {
        annex_tell_of_faults()
    }
}
