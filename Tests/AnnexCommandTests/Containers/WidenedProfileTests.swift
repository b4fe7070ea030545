import AnnexPolicy
import AnnexPolicyTools
import AnnexTestSupport
import Foundation
import Testing

/// The profile that `annex doctor --print seccomp-profile` makes of a container engine's own.
@Suite(.timeLimit(.minutes(20))) struct WidenedProfileTests {
    private struct Profile: Decodable {
        struct Entry: Decodable {
            let names: [String]
            let action: String
        }

        let defaultAction: String
        let architectures: [String]?
        let syscalls: [Entry]
    }

    private static func widened(_ json: String) throws -> Profile {
        let text = try WidenedProfile(json: Array(json.utf8), file: "given.json").text
        return try JSONDecoder().decode(Profile.self, from: Data(text.utf8))
    }

    @Test func `the calls of the warden are allowed once and everything else stays`() throws {
        let profile = try Self.widened(
            """
            {"defaultAction": "SCMP_ACT_ERRNO", "architectures": ["SCMP_ARCH_X86_64"], "syscalls": [
              {"names": ["read", "clone", "write"], "action": "SCMP_ACT_ALLOW"},
              {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
              {"names": ["ptrace"], "action": "SCMP_ACT_ALLOW", "args": null}]}
            """)
        #expect(profile.defaultAction == "SCMP_ACT_ERRNO" && profile.architectures == ["SCMP_ARCH_X86_64"])
        #expect(profile.syscalls.map(\.names) == [["read", "write"], ["ptrace"], WidenedProfile.calls])
        #expect(profile.syscalls.allSatisfy { $0.action == "SCMP_ACT_ALLOW" })
    }

    @Test(arguments: [
        ("[]", "no seccomp profile"), ("{}", "no seccomp profile"), ("{\"defaultAction\": 1}", "states no `syscalls`"),
        ("{\"defaultAction\": \"x\", \"syscalls\": 3}", "must be a list"),
        ("{\"defaultAction\": \"x\", \"syscalls\": [{\"names\": 3}]}", "must be a list"), ("{", "given.json:1"),
    ])
    func `a file that is no profile is an error with its place`(json: String, problem: String) {
        let error = #expect(throws: PolicyError.self) { try Self.widened(json) }
        #expect(error.map { "\($0)" }?.contains(problem) == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test func `the option from needs a profile to print, and a file that exists`() async throws {
        let folder = try TemporaryFolder()
        let alone = try await Program.annex("doctor", "--from", "x.json", in: folder)
        #expect(alone.status == 64 && alone.errors.contains("--print seccomp-profile"), "\(alone)")
        let missing = try await Program.annex("doctor", "--print", "seccomp-profile", "--from", "x.json", in: folder)
        #expect(missing.status == 2 && missing.output.isEmpty && missing.errors.contains("x.json"), "\(missing)")
    }
}
