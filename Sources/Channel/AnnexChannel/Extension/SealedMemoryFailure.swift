public import AnnexLinux

/// Why sealed memory could not be made.
public enum SealedMemoryFailure<Failure: Error>: Error {
    case system(SystemError)
    /// What the filling closure threw.
    case fill(Failure)
}
