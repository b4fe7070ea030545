// compile-policies OUTPUT.swift FILE.yaml…
//
// Compiles policies for every architecture, proves each filter against its policy, and writes a Swift file that carries
// what a launch needs: nothing is parsed or compiled at run time. A policy that is wrong, or a filter that differs from
// it, fails the build with its place.

import AnnexPolicy
import Foundation

@main
enum CompilePolicies {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { fail("compile-policies OUTPUT.swift FILE.yaml…") }
        let files = arguments.dropFirst(2).map { URL(filePath: $0) }
        do {
            var texts: [String: String] = [:]
            for file in files {
                texts[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
            }
            let text = try source(PolicyLibrary(texts: texts))
            try Data(text.utf8).write(to: URL(filePath: arguments[1]))
        } catch let error as PolicyError {
            // As a compiler says it, so that the build points there.
            let folder = files.first?.deletingLastPathComponent().path() ?? ""
            let end = error.suggestion.map { "; did you mean `\($0)`?" } ?? ""
            fail("\(error.place.map { "\(folder)\($0): " } ?? "")error: \(error.problem)\(end)")
        } catch {
            fail("error: \(error)")
        }
    }

    /// The build stops here.
    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(1)
    }

    private static func source(_ library: PolicyLibrary) throws -> String {
        var functions = ""
        var cases = ""
        for (index, name) in library.names.enumerated() {
            cases += "        case \(SwiftText.text(name)): policy\(index)(architecture)\n"
            functions += try function("policy\(index)", name, library)
        }
        return """
            // Made by compile-policies; changes belong into Policies/.
            internal import AnnexPolicy

            enum CompiledPolicies {
                static func policy(_ name: String, _ architecture: Architecture) -> Policy? {
                    switch name {
            \(cases)        default: nil
                    }
                }

            \(functions)}

            """
    }

    /// One policy, with the filter of each architecture.
    private static func function(_ function: String, _ name: String, _ library: PolicyLibrary) throws -> String {
        var filters = ""
        for architecture in Architecture.allCases {
            let policy = try library.policy(named: name, for: architecture)
            for reporting in FilterReports.allCases { try FilterProof.prove(policy, reporting: reporting) }
            let bytes = SwiftText.hexadecimal(try policy.filter().template)
            filters += "        case .\(architecture): \"\(bytes)\"\n"
        }
        let policy = try library.policy(named: name)
        return """
                private static func \(function)(_ architecture: Architecture) -> Policy {
                    let filter =
                        switch architecture {
            \(filters)            }
                    return \(PolicySource.expression(policy, allowsEveryExec: try policy.filter().allowsEveryExec))
                }


            """
    }
}
