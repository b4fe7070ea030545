package import AnnexLinux

/// `Frameworks` of an app: resources that its extensions can read, and that the app itself reads too.
///
/// The directory stays open from the check to the launch, so that a launch shows the very directory that was checked. All
/// extensions of the app share one object.
package final class FrameworksDirectory: Sendable {
    /// The name of the directory in an app.
    static let name = "Frameworks"
    private let directory: BundleFile

    private init(_ directory: consuming BundleFile) {
        self.directory = directory
    }

    /// Opens the directory of an app; nil if the app has none. A link in its place is refused, also one that stays in the
    /// app.
    static func open(in app: borrowing BundleDirectory) throws(BundleError) -> FrameworksDirectory? {
        guard let directory = try app.openIfPresent(name, rule: .p1, kind: .directory) else { return nil }
        return FrameworksDirectory(directory)
    }

    /// The path at which the directory was found.
    package var path: String { directory.path }

    /// Whether the directory is still the one that was checked, with the same rights and names in it. What lies deeper is
    /// not looked at.
    package func isUnchanged() throws(SystemError) -> Bool { try directory.isUnchanged() }

    /// The open directory, for a launch.
    package func descriptor() throws(SystemError) -> Descriptor { try directory.descriptor.duplicate() }
}
