import AnnexTestSupport
import Foundation
import Testing

/// The process numbers of a sandbox.
@Suite(.timeLimit(.minutes(20))) struct RunProcessNumberTests {
    private let folder: TemporaryFolder
    private static let isSettable = access("/proc/sys/kernel/ns_last_pid", F_OK) == 0

    init() throws { folder = try TemporaryFolder() }

    @Test(.enabled(if: isSettable, "this kernel cannot choose process numbers (CONFIG_CHECKPOINT_RESTORE)"))
    func `sandboxes that share a directory do not take each other for themselves`() async throws {
        var seen: [Int] = []
        for _ in 0..<20 {
            let said = try await Program.annex(["run", "--", "sh", "-c", "echo $$; sh -c 'echo $$'"], in: folder)
            let numbers = said.output.split(separator: "\n").compactMap { Int($0) }
            try #require(numbers.count == 2, "\(said)")
            #expect(numbers[0] > 300 && numbers[0] <= 30_000 && numbers[1] > numbers[0], "\(numbers)")
            seen.append(numbers[0])
        }
        #expect(Set(seen).count > 1, "\(seen)")
    }

    @Test(.enabled(if: isSettable, "this kernel cannot choose process numbers (CONFIG_CHECKPOINT_RESTORE)"))
    func `a machine that does not let numbers be chosen is named in the report`() async throws {
        let policy = folder.url.appending(path: "bare.yaml")
        try "policy: bare\nsummary: Without /proc.\nincludes: [tool]\npaths: { proc: none }\n"
            .write(to: policy, atomically: true, encoding: .utf8)
        let annex = ExampleBundles.products.appending(path: "annex").path
        let run = "\(annex) run --policy ./bare.yaml --report made.json -- sh -c 'echo $$'"
        let hidden = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && \(run)"
        let namespace = ["unshare", geteuid() == 0 ? "-m" : "-Urm", "sh", "-c", hidden]
        let said = try await Program.run("/usr/bin/env", namespace, in: folder)
        #expect(said.output == "2\n", "\(said)")
        let report = try String(contentsOf: folder.url.appending(path: "made.json"), encoding: .utf8)
        #expect(report.contains("process namespace (process numbers begin at 2: EROFS)"), "\(report)")
        let open = try await Program.run("/bin/sh", ["-c", run], in: folder)
        #expect(open.output != "2\n" && open.status == 0, "\(open)")
        let whole = try String(contentsOf: folder.url.appending(path: "made.json"), encoding: .utf8)
        #expect(whole.contains("\"process namespace\""), "\(whole)")
    }
}
