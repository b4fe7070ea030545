import AnnexLinux
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch

/// The warden's sources compile without warnings with every installed compiler. The warden's parser of plans runs
/// under a fuzzer.
@Suite(.timeLimit(.minutes(20))) struct SourcesTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let program = root.appending(path: "Sources/Sandbox/AnnexWarden/Program").path
    static let headers = root.appending(path: "Sources/Sandbox/AnnexWarden/include").path

    private static let strict = [
        "-std=c17", "-O2", "-ffreestanding", "-fno-builtin", "-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion",
        "-Wshadow", "-Werror", "-fsyntax-only", "-I\(headers)",
    ]

    // These are two tests, because a skipped case of a parameterized test gives no message.
    @Test(.enabled(if: Program.isThere(tool: "clang"), "there is no clang here"))
    func `clang has no warnings about the warden`() async throws { try await expectSilence(of: "clang") }

    @Test(.enabled(if: Program.isThere(tool: "gcc"), "there is no gcc here"))
    func `gcc has no warnings about the warden`() async throws { try await expectSilence(of: "gcc") }

    private func expectSilence(of compiler: String) async throws {
        let sources = try FileManager.default.contentsOfDirectory(atPath: Self.program)
            .filter { $0.hasSuffix(".c") }.map { "\(Self.program)/\($0)" }
        #expect(sources.count > 10)
        let result = try await Program.tool([compiler] + Self.strict + sources)
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test func `the parser of plans survives its fuzzer`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-fuzz-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let corpus = folder.appending(path: "corpus")
        try FileManager.default.createDirectory(at: corpus, withIntermediateDirectories: true)
        let fuzzer = folder.appending(path: "plan-fuzzer").path
        let built = try await Program.tool([
            "clang", "-g", "-O1", "-fuse-ld=lld", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
            "-I\(Self.headers)", "-I\(Self.program)",
            Self.root.appending(path: "Tests/Fixtures/PlanFuzzer/plan-fuzzer.c").path, "\(Self.program)/plan.c", "-o",
            fuzzer,
        ])
        guard built.status == 0 else {
            print(built.errors)
            try Test.cancel("this clang cannot build a fuzzer with sanitizers")
        }
        try Data(seed()).write(to: corpus.appending(path: "seed"))
        let ran = try await Program.tool([fuzzer, "-runs=200000", "-max_len=8192", "-seed=1", corpus.path])
        #expect(ran.status == 0, "\(ran.errors.suffix(4000))")
        #expect(ran.errors.contains("Done 200000 runs"))
    }

    /// A plan with an entry in every list. The number of its descriptors precedes it.
    private func seed() throws -> [UInt8] {
        let fixture = try WardenFixture()
        var plan = try fixture.plan("world")
        plan.scratches = [Scratch(at: "/tmp", size: 4096, inodes: 10)]
        plan.links = [LaunchPlan.Link(at: "/bin", to: "usr/bin")]
        plan.hasReaper = true
        (plan.hasProc, plan.hasKernelFiles) = (true, true)
        plan.limits = [ResourceLimit(1, bound: 2)]
        plan.removals = ["/sys/fs/cgroup/annex.1.2.3"]
        plan.layers = .all
        plan.landlock.rules = [.init("/app", access: 5)]
        plan.filter = Bpf.oneExec(nonce: 1)
        plan.join(tasks: try WardenFixture.open(fixture.folder))
        let bytes = try plan.encoded(launch: 9)
        return [UInt8(plan.descriptors.count)] + bytes
    }
}
