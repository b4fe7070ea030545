internal import Glibc

/// The directories that the broker gives to the extension. Each environment variable is read only once, because the
/// program could change its environment later.
enum ExtensionDirectories {
    static let privateDirectory = variable("ANNEX_PRIVATE_DIRECTORY")
    static let frameworksDirectory = variable("ANNEX_FRAMEWORKS")

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        // SAFETY: the text ends with a NUL, and is copied before the program can change the environment.
        return unsafe String(cString: value)
    }
}
