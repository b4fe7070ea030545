import AnnexLinux
import AnnexPolicy

/// The home directory of the caller.
///
/// A program in a sandbox usually gets its private directory as HOME, because it can write there. But the caller may
/// hand over files of the home directory, such as `~/.gitconfig` or `~/data`. The program then needs the caller's HOME
/// to find them.
enum HomeDirectory {
    /// - Parameter directory: the working directory. A project usually lies in the home directory, but its program does
    ///   not need the caller's HOME.
    /// - Returns: the caller's HOME if a path in it was handed over; otherwise nil. A path in the working directory or
    ///   above it does not count, unless the path's first name below HOME is hidden, such as `.config`.
    static func shown(by given: GivenPaths, outside directory: String?) -> [UInt8]? {
        guard let home = UserEnvironment.path("HOME"), let real = GivenPaths.resolved(home), real != "/" else {
            return nil
        }
        if given.readAllBut.contains(where: { PathText.isPath(real, within: $0.path) }) { return Array(home.utf8) }
        let isShown = given.all.contains { one in
            let isOfProject = directory.map {
                PathText.isPath(one.path, within: $0) || PathText.isPath($0, within: one.path)
            }
            return PathText.isPath(one.path, within: real) && isOfProject != true || one.path.hasPrefix(real + "/.")
        }
        return isShown ? Array(home.utf8) : nil
    }
}
