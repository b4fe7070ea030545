import AnnexBundle
import AnnexTestSupport
import Foundation
import Testing

/// The findings from the headers and names of real programs (P7, P11, restrictions).
@Suite(.timeLimit(.minutes(20))) struct ProgramTests {
    private let editor = "PlugIns/Editor.appex/Editor"

    /// Compiles a C program. The result is put in the place of the extension's program.
    private func compile(_ source: String, _ flags: [String], in test: TestApp) async throws {
        let file = "\(test.path)/../program.c"
        try Data(source.utf8).write(to: URL(filePath: file))
        let built = try await Program.tool(
            [Program.isThere(tool: "cc") ? "cc" : "clang", file, "-o", "\(test.path)/\(editor)"] + flags)
        try #require(built.status == 0, "\(built)")
        chmod("\(test.path)/\(editor)", 0o755)
    }

    private func findings(about test: TestApp) -> [String] {
        BundleValidation(app: test.path).findings.filter { $0.fault.file == "Pictures.app/\(editor)" }.map {
            "\($0.severity.rawValue): \($0.fault.what)"
        }
    }

    @Test func `a static program without faults has no finding`() async throws {
        let test = try TestApp()
        try await compile("int main(void) { return 0; }", ["-static"], in: test)
        #expect(findings(about: test) == [])
        try await compile("int main(void) { return 0; }", ["-static-pie"], in: test)
        #expect(findings(about: test) == [])
    }

    @Test func `P10: an example extension has no finding about its program`() throws {
        for app in ["Shout.app", "Pictures.app"] {
            let validation = BundleValidation(app: try ExampleBundles.path(of: app))
            #expect(!validation.hasErrors, "\(validation.findings)")
            #expect(validation.findings.filter { $0.fault.rule == .restrictions } == [])
        }
    }

    @Test func `P10: needed libraries and the interpreter are named`() async throws {
        let test = try TestApp()
        try await compile(
            "#include <math.h>\nint main(int c, char **v) { return (int)cos(c); }", ["-O0", "-lm"], in: test)
        let found = findings(about: test)
        #expect(found.contains { $0.hasPrefix("error") && $0.contains("ld-linux") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("warning") && $0.contains("libm.so") }, "\(found)")
    }

    @Test func `P10: an executable stack is an error, and a program that is silent about it a warning`() async throws {
        let test = try TestApp()
        try await compile("int main(void) { return 0; }", ["-static", "-z", "execstack"], in: test)
        #expect(findings(about: test) == ["error: asks for an executable stack"])
        try test.writeProgram(editor)
        #expect(findings(about: test) == ["warning: does not say that its stack holds no code"])
    }

    @Test func `P10: memory that is writable and executable is an error`() async throws {
        let test = try TestApp()
        try await compile("int main(void) { return 0; }", ["-static", "-nostdlib", "-Wl,-e,main", "-Wl,-N"], in: test)
        #expect(findings(about: test) == ["error: asks for memory that is writable and executable"])
    }

    @Test(arguments: [
        ("fork", "#include <unistd.h>\nint main(void) { return fork(); }"),
        ("system", "#include <stdlib.h>\nint main(void) { return system(\"true\"); }"),
        ("ptrace", "#include <sys/ptrace.h>\nint main(void) { return ptrace(0); }"),
    ])
    func `a function that every sandbox denies is a warning that names it`(symbol: String, source: String) async throws
    {
        let test = try TestApp()
        try await compile(source, ["-static"], in: test)
        let found = findings(about: test)
        #expect(found.contains { $0.hasPrefix("warning: links \(symbol),") }, "\(found)")
    }

    @Test func `a function that a dynamic program takes from a library is named`() async throws {
        let test = try TestApp()
        let source = "#include <dlfcn.h>\nint main(void) { return !dlopen(\"x.so\", 2); }"
        try await compile(source, ["-s"], in: test)
        let found = findings(about: test)
        #expect(found.contains { $0.contains("links dlopen, which loads code") }, "\(found)")
        #expect(!found.contains { $0.contains("links fork") }, "\(found)")
    }

    @Test func `P11: a program in the directory of this processor is the one that runs`() throws {
        let test = try TestApp()
        try test.makeFolder("PlugIns/Editor.appex/\(Self.own)")
        let moved = "PlugIns/Editor.appex/\(Self.own)/Editor"
        try FileManager.default.moveItem(atPath: "\(test.path)/\(editor)", toPath: "\(test.path)/\(moved)")
        let found = try #require(try AppBundle.open(test.path).extensions.first)
        #expect(found.executable.path == "\(test.path)/\(moved)")
        #expect(test.findings(.error) == [])
        try test.writeProgram(editor)
        #expect(try AppBundle.open(test.path).extensions.first?.executable.path == "\(test.path)/\(moved)")
        let twice = try #require(test.finding(about: editor, saying: "never runs"))
        #expect(twice.severity == .warning && twice.fault.rule == .p11)
    }

    @Test func `P11: an extension without a program for a processor of its app is a finding`() throws {
        let test = try TestApp()
        try test.makeFolder(Self.other)
        try test.writeProgram("\(Self.other)/Pictures", machine: Self.otherMachine)
        let info = "PlugIns/Editor.appex/Info.plist"
        let missing = try #require(test.finding(about: info, key: "CFBundleExecutable"))
        #expect(missing.severity == .error && missing.fault.rule == .p11)
        #expect(try AppBundle.open(test.path).extensions.count == 1, "this machine can run it")
        try test.makeFolder("PlugIns/Editor.appex/\(Self.other)")
        try test.writeProgram("PlugIns/Editor.appex/\(Self.other)/Editor", machine: Self.otherMachine)
        #expect(test.findings(.error) == [])
    }

    @Test func `P11: a program in the directory of another processor is refused`() throws {
        let test = try TestApp()
        try test.makeFolder("PlugIns/Editor.appex/\(Self.own)")
        try test.writeProgram("PlugIns/Editor.appex/\(Self.own)/Editor", machine: Self.otherMachine)
        #expect(try test.rejection().rule == .p11)
    }

    @Test func `P7: an app whose programs are all for other machines is refused`() throws {
        let test = try TestApp()
        try test.remove("Pictures")
        try test.makeFolder(Self.other)
        try test.writeProgram("\(Self.other)/Pictures", machine: Self.otherMachine)
        let error = try test.rejection()
        #expect(error.rule == .p7 && error.what.contains("but this machine is"), "\(error)")
    }

    #if arch(x86_64)
        private static let (own, other, otherMachine) = ("x86_64", "aarch64", UInt8(183))
    #else
        private static let (own, other, otherMachine) = ("aarch64", "x86_64", UInt8(62))
    #endif

    @Test func `IPC-09: changed programs never trap`() async throws {
        let test = try TestApp()
        try await compile("#include <unistd.h>\nint main(void) { return fork(); }", ["-static"], in: test)
        let whole = [UInt8](try Data(contentsOf: URL(filePath: "\(test.path)/\(editor)")))
        var generator = SeededRandom(seed: SeededRandom.fresh())
        for _ in 0..<100 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                // The changed place is in the headers, or in the table of sections at the end.
                let place =
                    Bool.random(using: &generator)
                    ? Int.random(in: 16..<600, using: &generator)
                    : Int.random(in: bytes.count - 2_000..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try test.write(bytes, to: editor)
            chmod("\(test.path)/\(editor)", 0o755)
            _ = BundleValidation(app: test.path).findings.count
        }
    }
}
