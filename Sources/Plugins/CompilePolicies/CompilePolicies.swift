// CompilePolicies FOLDER FILE.yaml…
//
// Compiles policies for every architecture, alone and joined with the fragments of `entitlements/NAME.yaml` and
// `allowances/NAME.yaml`. Proves each filter against its policy. Writes Swift files with everything that a launch
// needs, so nothing is parsed or compiled at run time. If a policy is wrong, or if a filter differs from its policy,
// the program prints an error with the file and line. `make policies` runs this program; the written files are part
// of the sources.

import AnnexPolicy
import Foundation

@main
enum CompilePolicies {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { fail("usage: CompilePolicies FOLDER FILE.yaml…") }
        let files = arguments.dropFirst(2).map { URL(filePath: $0) }
        do {
            let areFragments = Dictionary(grouping: files) {
                ["entitlements", "allowances"].contains($0.deletingLastPathComponent().lastPathComponent)
            }
            let library = PolicyLibrary(
                texts: try texts(of: areFragments[false] ?? []), fragments: try texts(of: areFragments[true] ?? []))
            let folder = GeneratedFolder(url: URL(filePath: arguments[1]))
            try folder.hold(CompiledSource.files(of: library))
        } catch let error as PolicyError {
            // The text has the form of a compiler's error, so that an editor finds the line.
            let folder = files.first?.deletingLastPathComponent().path() ?? ""
            let end = error.suggestion.map { "; did you mean `\($0)`?" } ?? ""
            fail("\(error.place.map { "\(folder)\($0): " } ?? "")error: \(error.problem)\(end)")
        } catch {
            fail("error: \(error)")
        }
    }

    /// The text of each file, with the file's name without its ending as the key.
    private static func texts(of files: [URL]) throws -> [String: String] {
        var texts: [String: String] = [:]
        for file in files {
            texts[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(1)
    }
}

/// A folder that holds only generated files.
struct GeneratedFolder {
    let url: URL

    /// Makes the folder hold exactly these files. A file that is up to date is not written again. It keeps its
    /// modification time, so that no build compiles it again.
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
