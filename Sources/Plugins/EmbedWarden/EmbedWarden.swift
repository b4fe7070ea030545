import Foundation
import PackagePlugin

/// Compiles the warden, a freestanding C program, and carries it inside the library, as `WardenPrograms.files`.
///
/// For both processors, whatever machine builds: the program needs no header and no library of the target, and a
/// library that was built for another machine must not carry this one's program.
@main
struct EmbedWarden: BuildToolPlugin {
    static let processors = ["x86_64", "aarch64"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Sources/AnnexWarden")
        let sources = try files(in: folder.appending(path: "Program"))
        let headers = try files(in: folder.appending(path: "include"))
        let work = context.pluginWorkDirectoryURL
        let output = work.appending(path: "WardenPrograms.swift")
        let programs = Self.processors.map { work.appending(path: "annex-warden-\($0)") }
        let compiling = try zip(Self.processors, programs).map { processor, program in
            Command.buildCommand(
                displayName: "Compiling the warden for \(processor)",
                executable: try context.tool(named: "clang").url,
                arguments: flags(for: processor, include: folder.appending(path: "include"))
                    + sources.filter { $0.pathExtension == "c" }.map { $0.path() } + ["-o", program.path()],
                inputFiles: sources + headers, outputFiles: [program])
        }
        let embedding = Command.buildCommand(
            displayName: "Embedding the warden",
            executable: try context.tool(named: "embed-bytes").url,
            arguments: [output.path(), "WardenPrograms"]
                + zip(Self.processors, programs).map { "\($0)=\($1.path())" },
            inputFiles: programs, outputFiles: [output])
        return compiling + [embedding]
    }

    private func flags(for processor: String, include: URL) -> [String] {
        [
            "--target=\(processor)-unknown-linux-gnu", "-std=c17", "-O2", "-Wall", "-Wextra", "-I\(include.path())",
            // No C library, no loader, nothing but itself.
            "-static", "-nostdlib", "-ffreestanding", "-fno-builtin", "-fuse-ld=lld", "-Wl,-s", "-Wl,--build-id=none",
            "-fno-pic", "-Wl,-z,noexecstack",
            // What goes wrong ends the program at once, and with it every extension: nothing runs on unguarded.
            "-fstack-protector-strong", "-mstack-protector-guard=global", "-ftrivial-auto-var-init=zero",
            "-fsanitize=undefined", "-fsanitize-trap=undefined",
        ]
    }

    private func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
            .map { folder.appending(path: $0) }
    }
}
