import AnnexTestSupport
import Foundation
import Testing

/// `annex doctor` on the agent of background transfers, which it looks for beside itself.
@Suite(.timeLimit(.minutes(20))) struct TransferDoctorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["annex", "annexd"] { try copy(name, as: name) }
    }

    private func copy(_ product: String, as name: String) throws {
        try FileManager.default.copyProgram(
            at: ExampleBundles.products.appending(path: product), to: folder.url.appending(path: name))
    }

    /// The findings of the topic, by their identifiers.
    private func findings() async throws -> [String: [String: String]] {
        let ran = try await Program.run(folder.url.path + "/annex", ["doctor", "--json"], in: folder)
        let whole = try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) as? [String: Any]
        let all = (whole?["findings"] as? [[String: Any]] ?? []).map { $0.compactMapValues { $0 as? String } }
        try #require(!all.isEmpty, "\(ran)")
        return Dictionary(uniqueKeysWithValues: all.filter { $0["topic"] == "transfers" }.map { ($0["id"] ?? "", $0) })
    }

    @Test func `the doctor names an agent that is missing or does not start, with the remedy`() async throws {
        let missing = try #require(try await findings()["transfer-agent"])
        #expect(missing["level"] == "missing" && missing["seen"]?.hasSuffix("/annex-transfer: ENOENT") == true)
        #expect(missing["remedy"]?.contains("--transfer-program") == true)
        try copy("takes-much", as: "annex-transfer")
        let other = try #require(try await findings()["transfer-agent"])
        #expect(other["level"] == "missing" && other["seen"]?.isEmpty == false, "\(other)")
    }

    @Test(.agentIsBuilt) func `the doctor starts the agent in its sandbox, and finds the authorities`() async throws {
        try copy("annex-transfer", as: "annex-transfer")
        let found = try await findings()
        #expect(found["transfer-agent"]?["level"] == "works", "\(found)")
        let hasAuthorities = FileManager.default.isReadableFile(atPath: "/etc/ssl/certs/ca-certificates.crt")
        if hasAuthorities { #expect(found["transfer-authorities"]?["level"] == "works", "\(found)") }
    }

    @Test func `without annexd beside it, the doctor examines no transfers`() async throws {
        try FileManager.default.removeItem(at: folder.url.appending(path: "annexd"))
        #expect(try await findings().isEmpty)
    }
}
