public import Foundation

/// Property lists of real apps. They lie outside the repository, in the folder `ANNEX_CORPUS`, or in `../shared/corpus`
/// without this variable.
public enum Corpus {
    /// The folder with the property lists; nil if it does not exist.
    public static let propertyLists: URL? = {
        let given = ProcessInfo.processInfo.environment["ANNEX_CORPUS"].map { URL(filePath: $0) }
        let folder = given ?? ExampleBundles.packageRoot.appending(path: "../shared/corpus")
        let lists = folder.appending(path: "plists").standardizedFileURL
        return FileManager.default.fileExists(atPath: lists.path) ? lists : nil
    }()
}
