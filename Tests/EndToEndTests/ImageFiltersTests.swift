import AnnexTestSupport
import Foundation
import Testing

/// The example app whose filters, and their curves in `Frameworks`, are shared by its program and its extension.
@Suite(.timeLimit(.minutes(20))) struct ImageFiltersTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: ExampleBundles.path(of: "Filters.app"), toPath: folder.url.appending(path: "Filters.app").path)
    }

    /// Runs the app's own program.
    private func filters(_ words: String...) async throws -> Program {
        var run = try await Program.run("Filters", words, in: folder)
        // As written, it has the policy's second for the launch, which a busy machine may not give it.
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
        #expect(run.status == 0 && run.output.hasPrefix("negative: completed"), "\(run)")
        let new = try Data(contentsOf: folder.url.appending(path: "new.ppm"))
        #expect(Array(new.suffix(6)) == [255, 245, 0, 155, 55, 205])
    }

    @Test func `a filter that does not exist and a picture that is none are errors`() async throws {
        try write([0, 10], to: "short.ppm")
        for words in [("short.ppm", "fade", "pixmap"), ("short.ppm", "../fade", "no such filter")] {
            let run = try await filters(words.0, words.1, "new.ppm")
            #expect(run.status == 1 && run.output.contains(words.2), "\(run)")
        }
        #expect(!folder.names.contains("new.ppm"))
    }
}
