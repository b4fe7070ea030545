import AnnexBundle
import AnnexBundling
import AnnexTestSupport
import Foundation
import Testing

/// The property lists of real extensions, after `annex bundle` has filled in the settings of their builds. The lists
/// lie outside the repository, in the folder `ANNEX_CORPUS`, or in `../shared/corpus` without this variable.
@Suite(.timeLimit(.minutes(20))) struct FilledCorpusTests {
    static let folder: URL? = {
        let given = ProcessInfo.processInfo.environment["ANNEX_CORPUS"].map { URL(filePath: $0) }
        let beside = URL(filePath: #filePath).appending(path: "../../../../shared/corpus")
        let folder = (given ?? beside).appending(path: "plists").standardizedFileURL
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The files that still have errors, by number, with the keys. These files use settings with project-specific
    /// names, and one file uses a project-specific identifier. The reader accepts all other files.
    static let refused: [Int: String] = [
        2: "P2 CFBundleDisplayName",
        3: "P2 CFBundleDisplayName",
        4: "P2 CFBundleDisplayName",
        7: "P2 CFBundleVersion",
        10: "P2 CFBundleVersion, P2 CFBundleShortVersionString",
        29: "P2 CFBundleVersion, P2 CFBundleShortVersionString",
        34: "P3 CFBundleIdentifier",
        37: "P2 CFBundleVersion",
        44: "P2 LSMinimumSystemVersion",
        49: "P2 CFBundleVersion",
        50: "P2 CFBundleVersion, P2 CFBundleShortVersionString",
        58: "P2 LSMinimumSystemVersion",
        60: "P2 CFBundleDisplayName",
        61: "P2 LSMinimumSystemVersion",
        63: "P2 LSMinimumSystemVersion",
        64: "P2 LSMinimumSystemVersion",
        65: "P2 LSMinimumSystemVersion",
        73: "P2 CFBundleDisplayName, P2 CFBundleVersion, P2 CFBundleShortVersionString",
        75: "P2 LSMinimumSystemVersion",
    ]

    @Test(.enabled(if: folder != nil, "no corpus of real property lists: set ANNEX_CORPUS to its folder"))
    func `P2: every real property list has the outcome of the table once it is filled in`() throws {
        let folder = try #require(Self.folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".plist") }
        #expect(files.count > 70)
        for file in files.sorted() {
            let outcome = try outcome(of: [UInt8](Data(contentsOf: folder.appending(path: file))))
            #expect(outcome == Int(file.prefix(3)).flatMap { Self.refused[$0] } ?? "read", "\(file)")
        }
    }

    private func outcome(of info: [UInt8]) throws -> String {
        let test = try TemporaryFolder()
        let layout = test.url.appending(path: "Layout")
        let place = layout.appending(path: "PlugIns/Part.appex")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try Data(info).write(to: place.appending(path: "Info.plist"))
        try Data("<plist version=\"1.0\"><dict/></plist>".utf8).write(to: layout.appending(path: "Info.plist"))
        let program = test.url.appending(path: "program")
        try StaticProgram.header().write(to: program)
        var recipe = BundleRecipe(folder: layout.path)
        recipe.files = ["App.app": program.path, "Part.appex": program.path]
        let identifier = try PropertyListValue(info).dictionary?["CFBundleIdentifier"]?.string ?? ""
        let isPlain = !identifier.contains("$") && identifier.contains(".")
        let parent = identifier.split(separator: ".").dropLast().joined(separator: ".")
        recipe.settings = [
            "PRODUCT_BUNDLE_IDENTIFIER": isPlain ? parent : "com.example.app", "CURRENT_PROJECT_VERSION": "7",
            "MARKETING_VERSION": "1.0",
        ]
        let made = test.url.appending(path: "App.app").path
        let file = "App.app/PlugIns/Part.appex/Info.plist"
        let errors = try BundleMaker(recipe).make(made).findings.filter {
            $0.severity == .error && $0.fault.file == file
        }
        return errors.isEmpty
            ? "read" : errors.map { "\($0.fault.rule.rawValue) \($0.fault.key ?? "")" }.joined(separator: ", ")
    }
}
