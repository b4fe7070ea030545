internal import Glibc

/// This process's own environment.
package enum OwnEnvironment {
    /// A variable's value, of any bytes; nil if the variable is not set.
    package static func bytes(of name: String) -> [UInt8]? {
        // SAFETY: the text is copied before anything can change the environment again.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }
}
