import ArgumentParser
import Testing

@testable import AnnexCommand

/// `annex run` reads the plain form of its command line by itself, because ArgumentParser takes as long as the sandbox.
@Suite(.timeLimit(.minutes(20))) struct RunOptionsTests {
    private static let plain: [[String]] = [
        ["--", "true"], ["ls"], ["ls", "-l", "--", "x"], ["--explain", "ls", "--explain"], ["ls", "--help"],
        ["--policy", "compute", "--", "./hello", "-v", "--policy", "x"],
        ["--memory", "64M", "--timeout", "2.5", "--launch-limit", "1", "--explain", "--", "ls"],
        ["--read", "a", "--read", "b", "--write", "c", "--env", "A=b", "--", "ls"],
        [
            "--execute", "a", "--write-execute", "b", "--allow", "jit", "--allow-line", "mlockall", "--limit",
            "file=4G", "--", "ls",
        ],
        ["--directory", "d", "--private-directory", "p", "--report", "r.json", "--policies", "q", "--", "ls"],
    ]

    @Test(arguments: plain)
    func `the plain reader and ArgumentParser read the same options`(_ arguments: [String]) throws {
        let read = try #require(RunOptions(plain: arguments))
        let parsed = try RunCommand.parse(arguments).options
        #expect("\(read)" == "\(parsed)")
    }

    @Test(arguments: [
        [], ["-h"], ["-x", "ls"], ["--policy"], ["--policy", "--", "ls"], ["--memory", "0", "--", "ls"],
        ["--timeout", "-1", "--", "ls"],
        ["--help", "--", "ls"], ["--waive", "network", "--", "ls"], ["--"],
    ])
    func `the plain reader leaves every other command line to ArgumentParser`(_ arguments: [String]) {
        #expect(RunOptions(plain: arguments) == nil)
    }

    @Test(arguments: [
        ("1", 1), ("65536", 65_536), ("64K", 65_536), ("64M", 64 << 20), ("1G", 1 << 30),
    ])
    func `a size is read with its unit`(_ text: String, _ bytes: UInt64) {
        #expect(ByteSize(argument: text)?.bytes == bytes)
    }

    @Test(arguments: ["", "0", "M", "-1", "1E", "1.5M", "0x10", "18446744073709551615G"])
    func `a size that is no whole number of bytes above 0 is refused`(_ text: String) {
        #expect(ByteSize(argument: text) == nil)
    }
}
