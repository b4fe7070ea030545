// A host that launches extensions without end and keeps a few alive. After a test kills the host, no process or file of
// it may be left. Arguments: the app's bundle, the extension's identifier. The host prints a line after each launch.
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport

enum LaunchesForever {
    static func run() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: launches-forever APP IDENTIFIER")
            throw CancellationError()
        }
        let host = try AnnexHost.embedded(apps: [arguments[1]], patience: .patience)
        var kept: [ExtensionSession] = []
        while true {
            kept.append(try await host.begin(arguments[2]))
            print("launched")
            if kept.count == 4 { _ = await kept.removeFirst().cancel() }
        }
    }
}
