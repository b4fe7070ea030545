import AnnexTestSupport
import Foundation
import Testing

/// The example app whose program and extension share the same filters, and the filters' curves in `Frameworks`.
@Suite(.timeLimit(.minutes(20))) struct ImageFiltersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let app = URL(filePath: try ExampleBundles.path(of: "Filters.app"))
        try FileManager.default.copyApp(at: app, to: folder.url.appending(path: "Filters.app"))
    }

    /// Runs the app's own program.
    private func filters(_ words: String...) async throws -> Program {
        var run = try await Program.run("Filters", words, in: folder)
        // The example has the policy's limit of one second for the launch. On a busy machine, a launch may take longer,
        // so the test repeats it.
        while (run.output + run.errors).contains("launchLimit") {
            run = try await Program.run("Filters", words, in: folder)
        }
        return run
    }

    private func write(_ bytes: [UInt8], to file: String) throws {
        try Data(Array("P6\n2 1\n255\n".utf8) + bytes).write(to: folder.url.appending(path: file))
    }

    @Test func `the app shows the curves of its filters`() async throws {
        let run = try await filters()
        #expect(run.status == 0 && run.output.contains(" fade\n"), "\(run)")
        #expect(run.output.contains("█▇▆▅▄▃▂▁ negative\n"), "\(run)")
    }

    @Test func `the extension applies the same filter to a picture in its sandbox`() async throws {
        try write([0, 10, 255, 100, 200, 50], to: "photo.ppm")
        let run = try await filters("photo.ppm", "negative", "new.ppm")
        #expect(run.status == 0 && run.output == "negative: negative\n", "\(run)")
        let new = try Data(contentsOf: folder.url.appending(path: "new.ppm"))
        #expect(Array(new.suffix(6)) == [255, 245, 0, 155, 55, 205])
    }

    @Test func `a later edit takes back the last filter, from the original and the adjustment data`() async throws {
        try write([0, 10, 255, 100, 200, 50], to: "photo.ppm")
        for (words, list) in [
            (["photo.ppm", "sepia", "one.ppm"], "sepia"), (["one.ppm", "negative", "two.ppm"], "sepia negative"),
            (["two.ppm", "undo", "three.ppm"], "sepia"), (["three.ppm", "undo", "four.ppm"], "no filter"),
        ] {
            let run = try await filters(words[0], words[1], words[2])
            #expect(run.status == 0 && run.output == "\(words[1]): \(list)\n", "\(run)")
        }
        func bytes(_ file: String) throws -> Data { try Data(contentsOf: folder.url.appending(path: file)) }
        #expect(try bytes("three.ppm") == bytes("one.ppm") && bytes("three.ppm") != bytes("two.ppm"))
        #expect(try bytes("four.ppm") == bytes("photo.ppm"))
    }

    @Test func `annex request stores the adjustment data and hands it to a later edit`() async throws {
        try write([0, 10, 255, 100, 200, 50], to: "photo.ppm")
        func request(_ words: String...) async throws -> Program {
            let common = ["request", "com.example.filters.editor", "--app", "Filters.app", "--file", "photo.ppm"]
            return try await Program.run("annex", common + words, in: folder)
        }
        let first = try await request("--info", "filter=negative")
        let stored = "answer-1.ppm  public.pbm  17 bytes\nanswer-1.adjustments  adjustment data\n"
        #expect(first.output == stored, "\(first)")
        let second = try await request("--adjustments", "answer-1.adjustments", "--info", "filter=undo")
        #expect(second.output.hasPrefix("answer-2.ppm"), "\(second)")
        #expect(
            try Data(contentsOf: folder.url.appending(path: "answer-2.ppm"))
                == Data(contentsOf: folder.url.appending(path: "photo.ppm")))
        let wrong = try await request("--adjustments", "photo.ppm")
        #expect(wrong.status == 66 && wrong.errors.contains("no adjustment data"), "\(wrong)")
        let none = try await request("--info", "filter=undo")
        #expect(none.status == 1 && none.errors.contains("no filter to undo"), "\(none)")
    }

    @Test func `a filter that does not exist and a picture that is none are errors`() async throws {
        try write([0, 10], to: "short.ppm")
        try write([0, 10, 255, 100, 200, 50], to: "photo.ppm")
        for words in [
            ("short.ppm", "fade", "pixmap"), ("photo.ppm", "../fade", "no button"), ("photo.ppm", "undo", "no button"),
        ] {
            let run = try await filters(words.0, words.1, "new.ppm")
            #expect(run.status == 1 && run.output.contains(words.2), "\(run)")
        }
        #expect(!folder.names.contains("new.ppm"))
    }
}
