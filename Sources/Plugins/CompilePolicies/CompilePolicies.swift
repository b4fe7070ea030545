// CompilePolicies FOLDER
//
// Compiles the shipped policies for every architecture, alone and joined with fragments. Proves each filter against its
// policy. Writes FOLDER/compiled.bin with everything that a launch needs, so nothing is parsed or compiled at run time.
// The build has embedded the texts of FOLDER in this program. If a policy is wrong, or if a filter differs from its
// policy, the program prints an error with the file and line. `make policies` runs this program; the written file is
// part of the sources.

import AnnexPolicy
import AnnexShippedPolicies
import Foundation

@main
enum CompilePolicies {
    static func main() {
        guard let folder = CommandLine.arguments.dropFirst().first else { fail("usage: CompilePolicies FOLDER") }
        do {
            let compiled = Data(try CompiledPolicies.file(of: .shipped))
            // A file that is up to date keeps its modification time, so that no build embeds it again.
            let file = URL(filePath: folder).appending(path: "compiled.bin")
            if (try? Data(contentsOf: file)) != compiled { try compiled.write(to: file) }
        } catch let error as PolicyError {
            // The text has the form of a compiler's error, so that an editor finds the line.
            let end = error.suggestion.map { "; did you mean `\($0)`?" } ?? ""
            fail("\(error.place.map { "\(folder)/\($0): " } ?? "")error: \(error.problem)\(end)")
        } catch {
            fail("error: \(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(1)
    }
}
