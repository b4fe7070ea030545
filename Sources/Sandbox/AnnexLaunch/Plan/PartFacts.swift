internal import Glibc

/// What is known of the hidden and protected parts of a launch.
package struct PartFacts: Sendable, Hashable {
    /// A protected part, or a path at which a part would be protected.
    package struct Protected: Sendable, Hashable {
        package let path: String
        /// The group of the shipped list; nil if a pattern names the part.
        package let group: String?
        /// Whether a directory at the path is no such part.
        package var isFile = false
    }

    /// The paths of the hidden parts.
    package var hidden: [String] = []
    package var protected: [Protected] = []
    /// The paths at which nothing was that could be protected.
    package var absent: [Protected] = []

    package init() {}

    /// The parts that are there now and were not when the launch began. No link is followed.
    package var made: [Protected] {
        absent.filter { part in
            var status = stat()
            // SAFETY: the call fills the structure that it is given and keeps nothing.
            guard unsafe lstat(part.path, &status) == 0 else { return false }
            return !part.isFile || status.st_mode & S_IFMT != S_IFDIR
        }
    }
}
