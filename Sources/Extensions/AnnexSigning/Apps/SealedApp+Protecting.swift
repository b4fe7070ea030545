package import AnnexBundle
internal import AnnexLinux

extension SealedApp {
    /// If the file system has fs-verity, enables it for the files that each launch checks. The kernel then refuses
    /// writes to the files. If a program writes to the disk directly, reads of the changed contents fail.
    ///
    /// Call this function only for a copy of the app that belongs to the broker, because a file with fs-verity can
    /// never be written again.
    package static func protect(_ app: AppBundle) {
        guard hasSeal(app) else { return }
        for bundle in app.extensions {
            // If fs-verity cannot be enabled for a program, the usual reason is a file system without fs-verity. So
            // the other files are not tried.
            guard bundle.executable.descriptor.enableVerity() else { return }
            _ = try? bundle.directory.descriptor.openToCheck("Info.plist").enableVerity()
        }
        _ = try? app.directory.descriptor.openToCheck(SealFile.path).enableVerity()
    }
}
