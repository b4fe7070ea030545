import Foundation

/// A folder that holds only generated files.
struct GeneratedFolder {
    let url: URL

    /// Makes the folder hold exactly these files. A file that is up to date keeps its time, so that nothing is rebuilt.
    func hold(_ files: [String: String]) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path()) where files[name] == nil {
            try FileManager.default.removeItem(at: url.appending(path: name))
        }
        for (name, text) in files {
            let file = url.appending(path: name)
            if let present = try? Data(contentsOf: file), present == Data(text.utf8) { continue }
            try Data(text.utf8).write(to: file)
        }
    }
}
