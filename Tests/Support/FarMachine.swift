import Foundation
import Glibc

/// A network of a test's own with a far machine in it. Nothing leaves the computer.
public enum FarMachine {
    private static let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/FarMachine/far_machine.py").path

    /// What makes the network. An ordinary user gets the rights over it in a user namespace of its own.
    private static let unshare =
        ["unshare"] + (geteuid() == 0 ? [] : ["-U", "--map-current-user", "--keep-caps"]) + ["-n", "-m"]

    /// Whether this computer can make the network.
    public static let isPossible: Bool = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
            ["ip", "unshare", "nsenter", "curl"].allSatisfy({ Program.isThere(tool: $0) })
        else { return false }
        let trial = "sh -c 'mount --make-rprivate / && ip link add v0 type veth peer name v1' >/dev/null 2>&1"
        return system((unshare + [trial]).joined(separator: " ")) == 0
    }()

    /// Runs a script of Python in the network, with the functions of `far_machine.py`.
    /// - Parameter number: the number that an ordinary user has there; nil for the user's own. A daemon cannot identify
    ///   a user with the number that the kernel gives to unknown users.
    public static func run(
        _ script: String, in folder: TemporaryFolder, as number: Int? = nil
    ) async throws -> Program {
        let numbers = number.map { ["--map-user=\($0)", "--map-group=\($0)"] }
        let unshare = unshare.flatMap { word in word == "--map-current-user" ? numbers ?? [word] : [word] }
        let annex = ExampleBundles.products.appending(path: "annex").path
        return try await Program.run(
            "/usr/bin/env", unshare + ["/usr/bin/python3", source, annex, script], in: folder)
    }
}
