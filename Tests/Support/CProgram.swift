public import Foundation

/// The C extension of `Languages/C`, compiled for the tests. Each variant is compiled once in a run and removed at the
/// end of the run.
public enum CProgram {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Compiles the extension as its author would: without other sources, and with every warning as an error.
    public static let conforms = Result { () throws(Failure) in
        try compile("conforms-c", with: Program.isThere(tool: "cc") ? "cc" : "clang", ["-O2", "-static"])
    }

    /// A variant that ends itself if it accesses invalid memory or does something that C leaves undefined.
    public static let sanitized = Result { () throws(Failure) in
        try compile(
            "conforms-c-sanitized", with: "clang",
            ["-g", "-O1", "-fuse-ld=lld", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
    }

    /// Compiles a program that uses the header.
    public static func program(_ name: String, text: String, in folder: TemporaryFolder) throws -> URL {
        let (source, target) = (folder.url.appending(path: name + ".c"), folder.url.appending(path: name))
        try Data(text.utf8).write(to: source)
        try run(
            Program.isThere(tool: "cc") ? "cc" : "clang",
            ["-std=c11"] + strictness + ["-include", header.path, source.path, "-o", target.path])
        return target
    }

    /// Compiles the header as C++, with every warning as an error.
    /// - Parameter compiler: for example `clang++`.
    public static func checkHeader(with compiler: String) throws(Failure) {
        try run(
            compiler,
            ["-x", "c++", "-std=c++11"] + strictness + ["-fsyntax-only", "-include", header.path, "/dev/null"])
    }

    public static var header: URL { sources.appending(path: "annex_extension.h") }

    private static var sources: URL { ExampleBundles.packageRoot.appending(path: "Languages/C") }

    private static var folder: URL {
        FileManager.default.temporaryDirectory.appending(path: "annex-c-\(getpid())")
    }

    private static let strictness = ["-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    private static func run(_ compiler: String, _ arguments: [String]) throws(Failure) {
        let end: ChildProcess.End
        do {
            end = try ChildProcess(URL(filePath: "/usr/bin/env"), arguments: [compiler] + arguments).waitUntilExit()
        } catch {
            throw Failure(description: "\(compiler): \(error)")
        }
        guard end == .exited(0) else { throw Failure(description: "\(compiler): \(end)") }
    }

    private static func compile(_ name: String, with compiler: String, _ flags: [String]) throws(Failure) -> URL {
        let target = folder.appending(path: name)
        atexit { try? FileManager.default.removeItem(at: CProgram.folder) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw Failure(description: "\(folder.path): \(error)")
        }
        try run(
            compiler,
            ["-std=c11"] + strictness + flags + [sources.appending(path: "conforms.c").path, "-o", target.path])
        do {
            // A fork of another test may have the file open for writing for a moment.
            try FileManager.default.settleProgram(at: target)
        } catch {
            throw Failure(description: "\(target.path): \(error)")
        }
        return target
    }
}
