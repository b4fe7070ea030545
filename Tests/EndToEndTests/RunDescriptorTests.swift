import AnnexTestSupport
import Foundation
import Testing

/// Streams that a program opens by their paths, and descriptors that its arguments name.
@Suite(.timeLimit(.minutes(20))) struct RunDescriptorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o777)
    }

    private func bash(_ line: String) async throws -> Program {
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/bin/bash", ["-c", line.replacing("annex run", with: "\(annex) run")], in: folder)
    }

    @Test(arguments: ["", " | cat", " 2>&1 | cat", " > file; cat file"])
    func `a program can open its output by path`(sink: String) async throws {
        let said = try await bash("annex run -- sh -c 'echo one >/dev/stdout; echo two | tee /dev/stdout'\(sink)")
        #expect(said.output == "one\ntwo\ntwo\n", "\(said)")
        let errors = try await bash("annex run -- sh -c 'echo one >/dev/stderr' 2>&1 >/dev/null | cat")
        #expect(errors.output == "one\n", "\(errors)")
    }

    @Test func `process substitutions reach the program`() async throws {
        let compared = try await bash("annex run -- diff <(echo a; echo c) <(echo a; echo c) && echo same")
        #expect(compared.output == "same\n", "\(compared)")
        let different = try await bash("annex run -- diff <(echo a) <(echo b)")
        #expect(different.status == 1 && different.output.contains("> b"), "\(different)")
        let written = try await bash(
            "annex run -- tee >(cat > copy) <<< text >/dev/null; until grep -qs text copy; do :; done")
        #expect(written.status == 0, "\(written)")
    }

    @Test func `a descriptor that an argument names is carried in its direction`() async throws {
        let out = try await bash("annex run -- sh -c 'echo x > /dev/fd/3' 3> file; cat file")
        #expect(out.output == "x\n", "\(out)")
        let input = try await bash("echo y > file; annex run -- cat /proc/self/fd/4 4< file")
        #expect(input.output == "y\n", "\(input)")
        let both = try await bash("annex run -- cat /dev/fd/5 5<> file")
        #expect(both.status == 126 && both.errors.contains("/dev/fd/5"), "\(both)")
    }

    @Test func `no other descriptor of the caller reaches the program`() async throws {
        let said = try await bash("annex run -- sh -c 'ls /proc/self/fd | wc -l; echo x >&3' 3> file; cat file")
        #expect(said.output == "4\n", "\(said)")
        // A descriptor of annex itself is not one of the caller.
        let own = try await bash("for n in 3 4 5 6 7 8 9 10; do annex run -- sh -c \"echo x > /dev/fd/$n\"; done; true")
        #expect(own.output.isEmpty && !own.errors.contains("not started"), "\(own)")
    }
}
