internal import CAnnexLinux

/// Processes whose parent has ended.
package enum Orphans {
    /// Makes this process the parent of its orphaned descendants, for as long as it lives. Otherwise they go to init,
    /// which in many containers never reaps its children. Only for a program that reaps them itself.
    package static func adopt() throws(SystemError) {
        _ = try SystemError.check("prctl(PR_SET_CHILD_SUBREAPER)", annex_adopt_orphans())
    }
}
