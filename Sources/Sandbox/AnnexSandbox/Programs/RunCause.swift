internal import AnnexLinux

/// Why Annex itself ended a program.
enum RunCause: Sendable {
    case cancelled, launchLimit, timeLimit, outputLimit, stuck, aborted
    case diskLimit(String)
    case deniedOperation(Denial)
}
