import AnnexLinux
import AnnexPolicy

/// The home directory of the caller.
///
/// A program in a sandbox usually gets its private directory as HOME, because it can write there. But if the caller hands over
/// hidden files of the home directory, such as `~/.gitconfig`, the program has to look for them at their place.
enum HomeDirectory {
    /// - Returns: the caller's HOME if a hidden file or directory in it was handed over; otherwise nil.
    static func shown(by given: GivenPaths) -> [UInt8]? {
        guard let home = UserEnvironment.path("HOME"), let real = GivenPaths.resolved(home), real != "/" else {
            return nil
        }
        let start = real + "/."
        return given.all.contains { $0.path.hasPrefix(start) } ? Array(home.utf8) : nil
    }
}
