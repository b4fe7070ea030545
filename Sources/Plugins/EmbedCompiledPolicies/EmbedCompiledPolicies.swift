import Foundation
import PackagePlugin

/// Compiles every file of `Policies/` when Annex is built, and carries what comes of it as `CompiledPolicies`.
@main
struct EmbedCompiledPolicies: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Policies")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        let policies = names.filter { $0.hasSuffix(".yaml") && !$0.hasSuffix(".expectations.yaml") }
        let files = policies.sorted().map { folder.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "CompiledPolicies.swift")
        return [
            .buildCommand(
                displayName: "Compiling \(files.count) policies",
                executable: try context.tool(named: "compile-policies").url,
                arguments: [output.path()] + files.map { $0.path() }, inputFiles: files, outputFiles: [output])
        ]
    }
}
