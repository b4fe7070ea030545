import AnnexTestSupport
import Foundation
import Testing

/// Background transfers with the real agent, in a network of the test's own. A daemon there keeps them, an extension begins
/// them, and a server with TLS is on a far machine.
struct CarriedWorld {
    static let agent = ExampleBundles.products.appending(path: "annex-transfer").path
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures").path

    private let folder: TemporaryFolder
    private let world: GroupWorld
    private let app: SubstituteApp

    init() async throws {
        folder = try TemporaryFolder()
        world = try GroupWorld()
        app = try await world.app(
            besides: ["com.apple.security.network.client"], running: "begins-transfers", program: "handles-transfers")
    }

    /// The lines that a script prints, which can use the functions of `far_machine.py` and `transfers.py`.
    func lines(_ script: String) async throws -> [String] {
        let whole = """
            AGENT, SERVER = '\(Self.agent)', '\(Self.fixtures)/TransferServer/transfer-server'
            APP, GROUP = '\(app.path)', '\(GroupWorld.ours)'
            for name in ['transfers', 'transfer_kills']:
                exec(compile(open(f'\(Self.fixtures)/FarMachine/{name}.py').read(), name, 'exec'))
            \(script)
            """
        // The user of number 1 is known on every machine. A daemon starts no app of an unknown user.
        let run = try await FarMachine.run(whole, in: folder, as: 1)
        try #require(run.status == 0, "\(run.output)\n\(run.errors)")
        return run.output.split(separator: "\n").map(String.init)
    }
}

extension Trait where Self == ConditionTrait {
    /// The tests of the built agent.
    static var agentIsBuilt: ConditionTrait {
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: CarriedWorld.agent),
            "annex-transfer is not built: .ci/build-beside Sources/Transfer/annex-transfer")
    }

    static var farMachineIsPossible: ConditionTrait {
        .enabled(if: FarMachine.isPossible, "the tests of named hosts need /usr/bin/python3, curl and ip (iproute2)")
    }

    static var opensslIsThere: ConditionTrait {
        .enabled(if: Program.isThere(tool: "openssl"), "openssl is not installed")
    }
}
