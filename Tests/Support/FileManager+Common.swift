public import Foundation

extension FileManager {
    /// A folder that every user may enter. It is the folder for temporary files, unless that folder belongs to one
    /// user.
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
