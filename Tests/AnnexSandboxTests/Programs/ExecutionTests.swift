import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexLaunch
@testable import AnnexSandbox

/// Files that a caller hands over for executing, also inside directories that the program writes.
@Suite(.timeLimit(.minutes(20))) struct ExecutionTests {
    private let home: TemporaryFolder
    private let sandbox: Sandbox

    private var folder: String { home.url.path }

    init() throws {
        home = try TemporaryFolder()
        chmod(home.url.path, 0o777)
        try FileManager.default.copyProgram(
            at: URL(filePath: "/bin/true").resolvingSymlinksInPath(), to: home.url.appending(path: "given"))
        chmod(home.url.path + "/given", 0o755)
        sandbox = Sandbox(policy: try .shipped(named: "tool"))
    }

    private func result(_ script: String, _ hand: (inout SandboxProgram) -> Void) async throws -> (
        String, SandboxRunReport
    ) {
        var program = SandboxProgram("/bin/sh", arguments: ["-c", "cd \(folder) && { \(script); } 2>/dev/null"])
        hand(&program)
        let result = try await sandbox.run(program)
        return (String(decoding: result.output, as: UTF8.self), result.report)
    }

    private static let copies = "cp /bin/true made; chmod 755 made; ./made; echo $?"

    @Test func `a directory that is handed over for executing is executed and not written`() async throws {
        let read = try await result("./given; echo $?") { $0.read(folder) }
        #expect(read.0 == "126\n")
        let executed = try await result("./given; echo $?; echo x > new; echo $?") { $0.execute(folder) }
        #expect(executed.0 == "0\n2\n")
        #expect(executed.1.writableCode.isEmpty)
    }

    @Test func `FS-38: beside code of the caller, what the program writes is not executed`() async throws {
        let script = "./given; echo $?; \(Self.copies); cp made given; echo $?; mv made given; echo $?"
        let (output, report) = try await result(script) {
            $0.write(folder)
            $0.execute(folder + "/given")
        }
        // The given file is executed, and the file that the program made is not executed. A copy and a rename both
        // fail to replace the given file.
        #expect(output == "0\n126\n1\n1\n", "\(output)")
        #expect(report.writableCode.isEmpty)
        let given = try Data(contentsOf: URL(filePath: folder + "/given"))
        #expect(given == (try Data(contentsOf: URL(filePath: "/bin/true"))))
    }

    @Test func `only the explicit right lets a program execute what it wrote, and the report names the place`()
        async throws
    {
        let (output, report) = try await result(Self.copies) { $0.writeAndExecute(folder) }
        #expect(output == "0\n" && report.writableCode.map(\.description) == [folder, "/tmp"])
    }

    @Test(arguments: [false, true])
    func `FS-38: the scratch directory is executed only beside a directory that may be written and executed`(
        _ isGiven: Bool
    ) async throws {
        // A program that may write and execute a directory could copy each of its files to that directory.
        let (output, report) = try await result("cd /tmp; \(Self.copies)") {
            if isGiven { $0.writeAndExecute(folder) } else { $0.write(folder) }
        }
        #expect(output == (isGiven ? "0\n" : "126\n"))
        #expect(report.writableCode.map(\.description).contains("/tmp") == isGiven)
    }

    @Test func `FS-38: shared memory is executed in no sandbox`() async throws {
        let (output, _) = try await result("cd /dev/shm; \(Self.copies)") { $0.writeAndExecute(folder) }
        #expect(output == "126\n")
    }

    @Test func `FS-38: a directory above code of the caller cannot be exchanged`() async throws {
        let inner = home.url.appending(path: "a/b")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        for place in ["/a", "/a/b"] { chmod(folder + place, 0o777) }
        try FileManager.default.copyProgram(at: home.url.appending(path: "given"), to: inner.appending(path: "tool"))
        let (output, _) = try await result("mv a c; echo $?; mv a/b a/c; echo $?; a/b/tool; echo $?") {
            $0.write(folder)
            $0.execute(folder + "/a/b/tool")
        }
        #expect(output == "1\n1\n0\n", "\(output)")
    }

    @Test func `FS-38: code with a second name is not handed over inside a directory for writing`() async throws {
        try FileManager.default.linkItem(atPath: folder + "/given", toPath: folder + "/other")
        let error = await #expect(throws: SandboxError.self) {
            _ = try await result("true") {
                $0.write(folder)
                $0.execute(folder + "/given")
            }
        }
        #expect("\(String(describing: error))".contains("second name"))
    }

    @Test func `FS-38: an allowance for memory gives no right to execute written files`() async throws {
        let open = Sandbox(policy: try .shipped(named: "tool+jit"))
        var program = SandboxProgram(
            "/bin/sh",
            arguments: ["-c", "cd \(folder); { ./given; echo $?; \(Self.copies); true > given; echo $?; } 2>/dev/null"])
        program.write(folder)
        program.execute(folder + "/given")
        #expect(String(decoding: try await open.run(program).output, as: UTF8.self) == "0\n126\n2\n")
    }

    @Test func `one path is not handed over for writing and for executing by two words`() async throws {
        let error = await #expect(throws: SandboxError.self) {
            _ = try await result("true") {
                $0.write(folder)
                $0.execute(folder)
            }
        }
        #expect(error?.remedy?.contains("--write-execute") == true)
    }
}
