public import Foundation

extension FileManager {
    /// Where every user may come: the folder for temporary files, where it is not one user's alone.
    public var commonDirectory: URL {
        var place = temporaryDirectory.resolvingSymlinksInPath()
        while place.path != "/" {
            let mode = (try? attributesOfItem(atPath: place.path)[.posixPermissions]) as? Int ?? 0
            guard mode & 0o001 != 0 else { return URL(filePath: "/tmp") }
            place.deleteLastPathComponent()
        }
        return temporaryDirectory
    }
}
