internal import CAnnexLinux

/// Processes whose parent has ended.
package enum Orphans {
    /// Makes this process the parent of its orphaned descendants, for as long as it lives. Otherwise they go to init,
    /// which in many containers never reaps its children. Only for a program that reaps them itself.
    package static func adopt() throws(SystemError) {
        _ = try SystemError.check("prctl(PR_SET_CHILD_SUBREAPER)", annex_adopt_orphans())
    }
}

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
