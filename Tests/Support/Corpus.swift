public import Foundation

/// Property lists of real apps, which are kept beside the repository: in `ANNEX_CORPUS`, else in `../shared/corpus`.
public enum Corpus {
    /// The folder with the property lists; nil if it is not there.
    public static let propertyLists: URL? = {
        let given = ProcessInfo.processInfo.environment["ANNEX_CORPUS"].map { URL(filePath: $0) }
        let folder = given ?? ExampleBundles.packageRoot.appending(path: "../shared/corpus")
        let lists = folder.appending(path: "plists").standardizedFileURL
        return FileManager.default.fileExists(atPath: lists.path) ? lists : nil
    }()
}
