import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// `Frameworks` of an app in a sandbox. On the host, every user may change the folder, so only the sandbox can deny
/// changes.
@Suite(.timeLimit(.minutes(20))) struct FrameworksMountTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Data("table\n".utf8).write(to: folder.url.appending(path: "table"))
        try FileManager.default.copyProgram(
            at: URL(filePath: "/bin/true").resolvingSymlinksInPath(), to: folder.url.appending(path: "program"))
        for (file, mode) in [("", mode_t(0o777)), ("/table", 0o666), ("/program", 0o755)] {
            chmod(folder.url.path + file, mode)
        }
    }

    /// The output of a shell that has the folder as its `Frameworks`.
    private func output(of script: String, ownRoot: Bool) throws -> String {
        let launcher = try Launcher.start()
        defer { launcher.shutDown() }
        var prepared = try Sandbox(policy: .shipped(named: "tool"))
            .prepare(SandboxProgram("/bin/sh", arguments: ["-c", script]), streams: DescriptorList())
        prepared.configuration.frameworks = try Descriptor.directory(folder.url.path)
        if !ownRoot { prepared.configuration.layers.remove(.root) }
        let outcome = Outcome<SandboxEnd>()
        _ = try launcher.launch(prepared.takeConfiguration()) { event in
            guard case .ended(let end) = event else { return }
            outcome.record(end)
            outcome.finish()
        }
        let end = try #require(outcome.wait(atMost: .seconds(600)))
        #expect(end.failure == nil, "\(end)")
        return String(decoding: end.output.bytes, as: UTF8.self)
    }

    @Test(arguments: [true, false]) func `P1: shared resources are read and neither changed nor executed`(
        ownRoot: Bool
    ) throws {
        let script = """
            cd $ANNEX_FRAMEWORKS && pwd && cat table
            (echo more >> table) 2>/dev/null || echo unchanged
            (echo new > new) 2>/dev/null || echo no new file
            ./program 2>/dev/null || echo not executed
            """
        let place = ownRoot ? "/frameworks" : folder.url.path
        #expect(
            try output(of: script, ownRoot: ownRoot) == "\(place)\ntable\nunchanged\nno new file\nnot executed\n")
        #expect(folder.names == ["program", "table"])
    }
}
