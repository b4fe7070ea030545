import AnnexTestSupport
import Foundation
import Testing

/// A program of `annex run` gets as many arguments as outside.
@Suite(.timeLimit(.minutes(20))) struct RunArgumentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run("/bin/sh", ["-c", line, annex], in: folder)
    }

    @Test func `the usual command lines of xargs work`() async throws {
        let line = "seq 100000 > numbers; xargs \"$0\" run -- printf '%s\\n' < numbers > printed; cmp numbers printed"
        let said = try await shell(line)
        #expect(said.status == 0 && said.errors.isEmpty, "\(said.status) \(said.errors.prefix(500))")
    }

    @Test func `the names of four thousand files are arguments`() async throws {
        let line =
            "mkdir many && (cd many && seq -f %05g.txt 4000 | xargs touch) && chmod -R a+rX . "
            + "&& \"$0\" run --read many -- ls many/*.txt | wc -l"
        let said = try await shell(line)
        #expect(
            said.output.trimmingCharacters(in: .whitespaces) == "4000\n", "\(said.output) \(said.errors.prefix(500))")
    }

    /// With the usual limit of the stack, the kernel takes 2 MiB. These arguments have 1.4 million bytes with their
    /// pointers.
    @Test func `a hundred thousand arguments and a very long one arrive`() async throws {
        let many = try await shell("\"$0\" run -- sh -c 'echo $# ${100000}' sh $(seq 100000)")
        #expect(many.output == "100000 100000\n", "\(many.errors.prefix(500))")
        let long = "$(head -c 131071 /dev/zero | tr '\\0' a)"
        let one = try await shell(
            "\"$0\" run --env long=\"$(head -c 100000 /dev/zero | tr '\\0' b)\" -- sh -c 'echo ${#1} ${#long}' sh \"\(long)\""
        )
        #expect(one.output == "131071 100000\n", "\(one.errors.prefix(500))")
    }
}
