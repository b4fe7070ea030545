import Foundation
import Testing

/// What a reader of the sources stumbles over, as far as a test can measure it. `.ci/dead` finds the declarations that
/// nothing uses.
@Suite struct ShapeTests {
    @Test func `no function has more than 60 lines`() throws {
        var count = 0
        for (file, text) in try SourceTree.swiftFiles(in: "Sources") {
            for function in Self.functions(in: text) {
                count += 1
                #expect(function.lines <= 60, "\(file): \(function.head) has \(function.lines) lines")
            }
        }
        #expect(count > 3000)
    }

    @Test func `the lines of a function are those between its braces`() {
        let text = """
            protocol P {
                func noBody()
            }
            struct S: P {
                func noBody() { print() }
                init(
                    one: Int
                ) {
                    if one > 1 {
                        print(one)
                    }
                }
                private static func two() -> Int {
                    let text = \"\"\"
                        }
                        \"\"\"
                    return text.count
                }
            }
            """
        #expect(Self.functions(in: text).map(\.lines) == [3, 4])
    }

    /// The folder says nothing that the file's name does not say.
    @Test func `no folder inside a target has a single file`() throws {
        let alone = try Self.files().filter { $0.value.count == 1 && $0.key.split(separator: "/").count > 3 }.keys
        // SwiftPM names the folder of a C target's headers.
        let lonely = alone.filter { !$0.hasSuffix("/include") }
        #expect(lonely.isEmpty, "\(lonely.sorted())")
    }

    /// A name that means two things makes each of its readers ask which one is meant.
    @Test func `no two targets declare a type of the same name`() throws {
        var targets: [String: Set<String>] = [:]
        for (folder, files) in try Self.files() {
            let target = folder.split(separator: "/").dropFirst(2).first.map(String.init) ?? folder
            for (_, text) in files {
                for type in FolderGraph.types(in: text) { targets[type, default: []].insert(target) }
            }
        }
        #expect(targets.count > 1000)
        // The warden's steps, and those of them that a host learns of.
        let known: Set = ["LaunchStep"]
        let shared = targets.filter { $0.value.count > 1 && !known.contains($0.key) }
        #expect(shared.isEmpty, "\(shared.sorted { $0.key < $1.key })")
    }

    /// The source files of each folder of the library, by the folder's path from the package's root.
    private static func files() throws -> [String: [(file: String, text: String)]] {
        let files = try SourceTree.files(in: "Sources", endings: ["swift", "c", "h"]).map { file, text in
            (file: String(file.dropFirst(SourceTree.root.path.count + 1)), text: text)
        }
        // These floors hold packages of their own.
        let others = ["Sources/Macros/", "Sources/Telemetry/", "Sources/Page/"]
        let library = files.filter { file in !others.contains { file.file.hasPrefix($0) } }
        return Dictionary(grouping: library) { String($0.file[..<($0.file.lastIndex(of: "/") ?? $0.file.startIndex)]) }
    }

    /// The functions and initialisers that have a body of several lines, by their indentation.
    private static func functions(in text: String) -> [(head: String, lines: Int)] {
        let declaration =
            /( *)(?:@\w+(?:\([^)]*\))? |[a-z]+(?:\([a-z]+\))? )*(?:func [`\w]+|init[?]?[<(]|deinit|subscript).*/
        var found: [(head: String, lines: Int)] = []
        var open: (head: String, indent: Substring, start: Int?)?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let function = open, let start = function.start {
                guard line == function.indent + "}" else { continue }
                found.append((function.head, number - start - 1))
                open = nil
            } else if let match = line.wholeMatch(of: declaration) {
                let hasOneLine = line.hasSuffix("}")
                open = hasOneLine ? nil : (line.trimmingCharacters(in: .whitespaces), match.1, nil)
            } else if let function = open, !line.hasPrefix(function.indent + " "),
                !line.hasPrefix(function.indent + ")")
            {
                // A requirement of a protocol has no body.
                open = nil
            }
            if line.hasSuffix("{") { open?.start = number }
        }
        return found
    }
}
