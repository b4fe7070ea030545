public import Foundation

/// The example apps, made from the executables that were built with the tests.
public enum ExampleBundles {
    /// The folder with the example apps, and `Points` with the point of one of them. It is made once in a run and
    /// removed at the end of the run.
    public static let folder: Result<URL, Failure> = Result { () throws(Failure) in try layOut() }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public static func path(of app: String) throws -> String {
        try folder.get().appending(path: app).path
    }

    /// The folder in which the package manager put the executables. The test bundle is in the same folder.
    public static var products: URL {
        URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    }

    static var packageRoot: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// Lays out one app in a folder of the caller's.
    /// - Returns: the app's path.
    public static func layOut(_ app: String, in folder: URL) throws(Failure) -> String {
        try assemble([app], in: folder)
        return folder.appending(path: "\(app).app").path
    }

    private static func layOut() throws(Failure) -> URL {
        let target = FileManager.default.temporaryDirectory.appending(path: "annex-examples-\(getpid())")
        atexit {
            let target = FileManager.default.temporaryDirectory.appending(path: "annex-examples-\(getpid())")
            try? FileManager.default.removeItem(at: target)
        }
        let apps = [
            "Pictures", "Shout", "Thumbnails", "Filters", "MyPicture", "Translate", "ToDoList", "Ledger", "Weather",
            "News",
        ]
        try assemble(apps, in: target)
        return target
    }

    private static func assemble(_ apps: [String], in folder: URL) throws(Failure) {
        let script = packageRoot.appending(path: "Examples/assemble").path
        let end: ChildProcess.End
        do {
            let words = [script, products.path, folder.path] + apps
            end = try ChildProcess(URL(filePath: "/bin/sh"), arguments: words).waitUntilExit()
        } catch {
            throw Failure(description: "\(script): \(error)")
        }
        guard end == .exited(0) else { throw Failure(description: "\(script): \(end)") }
    }
}
