import Foundation
import PackagePlugin

/// Carries every file of `Policies/` inside the library, as `ShippedPolicies.files`.
@main
struct EmbedPolicies: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Policies")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        let policies = names.filter { $0.hasSuffix(".yaml") }.sorted()
        let output = context.pluginWorkDirectoryURL.appending(path: "ShippedPolicies.swift")
        let files = policies.map { "\($0.dropLast(".yaml".count))=\(folder.appending(path: $0).path())" }
        return [
            .buildCommand(
                displayName: "Embedding \(policies.count) policies",
                executable: try context.tool(named: "embed-bytes").url,
                arguments: [output.path(), "ShippedPolicies"] + files,
                inputFiles: policies.map { folder.appending(path: $0) }, outputFiles: [output])
        ]
    }
}
