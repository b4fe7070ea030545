import Foundation

/// A network of a test's own with a far machine in it. Nothing leaves the computer.
public enum FarMachine {
    private static let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/FarMachine/far_machine.py").path

    /// Whether the programs that make the network are there.
    public static var isPossible: Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
            && ["ip", "unshare", "nsenter", "curl"].allSatisfy { Program.isThere(tool: $0) }
    }

    /// Runs a script of Python in the network, with the functions of `far_machine.py`.
    public static func run(_ script: String, in folder: TemporaryFolder) async throws -> Program {
        // An ordinary user gets the rights over a network in a user namespace of its own.
        let rights = geteuid() == 0 ? [] : ["-U", "--map-current-user", "--keep-caps"]
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/usr/bin/env", ["unshare"] + rights + ["-n", "-m", "/usr/bin/python3", source, annex, script], in: folder)
    }
}
