/// One name in a directory.
package struct DirectoryEntry: Sendable, Hashable {
    /// The name; nil if its bytes are not UTF-8.
    package let name: String?
    package let isDirectory: Bool
    package let isSymbolicLink: Bool
}
