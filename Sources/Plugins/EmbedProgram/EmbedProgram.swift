import Foundation
import PackagePlugin

/// Compiles a freestanding C program and embeds it in a library, as bytes for each processor. The library AnnexLaunch
/// contains the warden, and AnnexAttacks contains the program that attacks.
///
/// Every build compiles the programs for both processors. This works on any machine, because the programs need no
/// header and no library of the other processor's system. If a build compiled only for this machine's processor, a
/// library that is built for another machine would contain the wrong program.
@main
struct EmbedProgram: BuildToolPlugin {
    static let processors = ["x86_64", "aarch64"]

    /// A program that is embedded in a target.
    private struct Carried {
        let name: String
        /// The Swift type that holds the bytes.
        let type: String
        /// The folder with `Program/` and, if the program has one, `include/`.
        let folder: String
        /// Files of another program that are compiled into this program too. `borrowedHeaders` lists the folders of
        /// their headers.
        var borrowed: [String] = []
        var borrowedHeaders: [String] = []
        /// How the program is linked: at a fixed address, unless it can relocate its own tables of addresses.
        var placement = ["-static", "-fno-pic"]
    }

    private static let programs = [
        "AnnexLaunch": Carried(
            name: "annex-warden", type: "WardenPrograms", folder: "Sources/Sandbox/AnnexWarden",
            placement: ["-static-pie", "-fPIE", "-fvisibility=hidden", "-Wl,-z,text", "-Wl,-z,relro"]),
        "AnnexAttacks": Carried(
            name: "annex-trial", type: "TrialPrograms", folder: "Sources/Sandbox/AnnexAttacks",
            borrowed: ["Sources/Sandbox/AnnexWarden/Program/text.c"],
            borrowedHeaders: ["Sources/Sandbox/AnnexWarden/Program"]),
    ]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let carried = Self.programs[target.name] else { return [] }
        let root = context.package.directoryURL
        let folders = [carried.folder + "/include"] + carried.borrowedHeaders
        let sources =
            try files(in: root.appending(path: carried.folder + "/Program"))
            + carried.borrowed.map { root.appending(path: $0) }
        let headers = try folders.flatMap { try files(in: root.appending(path: $0)) }.filter { $0.pathExtension == "h" }
        let work = context.pluginWorkDirectoryURL
        let output = work.appending(path: "\(carried.type).swift")
        let script = root.appending(path: "Sources/Plugins/compile-program")
        return [
            .buildCommand(
                displayName: "Compiling \(carried.name)",
                executable: URL(filePath: "/bin/sh"),
                arguments: [
                    script.path(), output.path(), carried.type, work.path(), Self.processors.joined(separator: ","),
                    try context.tool(named: "clang").url.path(),
                ] + Self.flags + carried.placement + folders.map { "-I\(root.appending(path: $0).path())" }
                    + sources.filter { $0.pathExtension == "c" }.map { $0.path() },
                inputFiles: [script] + sources + headers, outputFiles: [output])
        ]
    }

    private static let flags = [
        "-std=c17", "-O2", "-Wall", "-Wextra",
        // The program needs no C library, no loader, and no other file.
        "-nostdlib", "-ffreestanding", "-fno-builtin", "-fuse-ld=lld", "-Wl,-s", "-Wl,--build-id=none",
        "-Wl,-z,noexecstack",
        // Any fault ends the program at once. If the program is the warden, every extension ends with it, so that no
        // extension runs without its warden.
        "-fstack-protector-strong", "-mstack-protector-guard=global", "-ftrivial-auto-var-init=zero",
        "-fsanitize=undefined", "-fsanitize-trap=undefined",
    ]

    /// The C files and headers in a folder; none if the folder does not exist.
    private func files(in folder: URL) throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path()) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
            .map { folder.appending(path: $0) }
    }
}
