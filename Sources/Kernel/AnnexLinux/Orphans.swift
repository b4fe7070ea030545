internal import CAnnexLinux

/// Processes whose parent is gone.
package enum Orphans {
    /// They become this process's children, and not init's, which in many containers takes no end. For a program that
    /// takes their ends itself, and for as long as it lives.
    package static func adopt() throws(SystemError) {
        _ = try SystemError.check("prctl(PR_SET_CHILD_SUBREAPER)", annex_adopt_orphans())
    }
}
