package import AnnexLinux

/// `Frameworks` of an app: resources that the app and its extensions can read.
///
/// The directory stays open from the check to the launch. So a launch shows exactly the directory that was checked. All
/// extensions of the app share one object.
package final class FrameworksDirectory: Sendable {
    /// The name of the directory in an app.
    static let name = "Frameworks"
    private let directory: BundleFile

    private init(_ directory: consuming BundleFile) {
        self.directory = directory
    }

    /// Opens the directory of an app; nil if the app has none. If `Frameworks` is a link, the link is refused, even if
    /// it leads to a place within the app.
    static func open(in app: borrowing BundleDirectory) throws(BundleError) -> FrameworksDirectory? {
        guard let directory = try app.openIfPresent(name, rule: .p1, kind: .directory) else { return nil }
        return FrameworksDirectory(directory)
    }

    /// The path at which the directory was found.
    package var path: String { directory.path }

    /// Whether the directory itself is unchanged since the check: its rights and the names directly in it.
    /// Subdirectories and the contents of files are not checked.
    package func isUnchanged() throws(SystemError) -> Bool { try directory.isUnchanged() }

    /// A duplicate of the open directory, for a launch.
    package func descriptor() throws(SystemError) -> Descriptor { try directory.descriptor.duplicate() }
}
