import AnnexPolicy
import AnnexSandbox
import ArgumentParser
import Testing

@testable import AnnexCommand

/// The table of options is the reader, the help and the completions of `annex run`.
@Suite(.timeLimit(.minutes(20))) struct RunOptionsTests {
    @Test func `each option of the table sets its own value`() throws {
        let options = try RunOptions([
            "--policy", "compute", "--policies", "q", "--memory", "64M", "--timeout", "2.5", "--launch-limit", "1",
            "--read", "a", "--read", "b", "--write", "c", "--execute", "d", "--write-execute", "e", "--allow", "jit",
            "--allow-line", "mlockall", "--limit", "file=4G", "--env", "A=b", "--directory", "f",
            "--private-directory", "g", "--waive", "landlock", "--best-effort", "--read-all-but", "h", "--hide", ".env",
            "--protect", "i/", "--unprotect", "git", "--report", "r.json", "--explain", "--ask", "--end-with-parent",
            "--allow-port", "5432", "--publish", "8080:3000", "--json-events", "3", "--", "ls",
            "-l", "--read", "x",
        ])
        var wanted = RunOptions()
        wanted.policy = "compute"
        wanted.policies = "q"
        wanted.memory = ByteSize(argument: "64M")
        wanted.timeout = 2.5
        wanted.launchLimit = 1
        wanted.read = ["a", "b"]
        wanted.write = ["c"]
        wanted.execute = ["d"]
        wanted.writeExecute = ["e"]
        wanted.allow = ["jit"]
        wanted.allowLine = ["mlockall"]
        wanted.limit = ["file=4G"]
        wanted.env = ["A=b"]
        wanted.directory = "f"
        wanted.privateDirectory = "g"
        wanted.waive = [.landlock]
        wanted.bestEffort = true
        wanted.readAllBut = ["h"]
        wanted.hide = [".env"]
        wanted.protect = ["i/"]
        wanted.unprotect = ["git"]
        wanted.report = "r.json"
        wanted.explain = true
        wanted.asks = true
        wanted.endsWithParent = true
        wanted.jsonEvents = "3"
        wanted.ports.allow(5432)
        wanted.ports.publish(3000, at: 8080)
        wanted.program = ["ls", "-l", "--read", "x"]
        #expect("\(options)" == "\(wanted)")
    }

    @Test func `every option changes the options, and takes a value if it names one`() throws {
        let values = ["bytes": "1G", "port": "3000", "seconds": "3", "layer": "landlock", "group": "git"]
        for option in RunOption.all {
            let value = option.value.map { values[$0] ?? "x" }
            let words = [option.name] + (value.map { [$0] } ?? [])
            let changed = try "\(RunOptions(words + ["ls"]))"
            #expect(changed != "\(try RunOptions(["ls"]))", "\(option.name)")
            guard let value else { continue }
            #expect(try "\(RunOptions(["\(option.name)=\(value)", "ls"]))" == changed, "\(option.name)")
        }
    }

    @Test(arguments: [
        (["ls"], ["ls"]), (["--", "ls"], ["ls"]), (["--", "-x", "--"], ["-x", "--"]), (["-"], ["-"]),
        (["ls", "-l", "--", "x"], ["ls", "-l", "--", "x"]), (["--explain", "ls", "--explain"], ["ls", "--explain"]),
        (["--timeout", "3", "ls", "--help"], ["ls", "--help"]), (["--policy=", "ls"], ["ls"]),
    ])
    func `the program begins at the first word that is no option`(words: [String], program: [String]) throws {
        #expect(!RunOptions.askForHelp(words))
        #expect(try RunOptions(words).program == program)
    }

    @Test(arguments: [
        (["--allow-port", "0"], "`0` is not a TCP port"), (["--allow-port", "65536"], "`65536` is not a TCP port"),
        (["--allow-port", "+1"], "is not a TCP port"), (["--publish", "1:2:3"], "is not a TCP port"),
        (["--publish", ":3000"], "`` is not a TCP port"), (["--publish", "127.0.0.1:80"], "`127.0.0.1` is not"),
        (["--allow-port", "80", "--publish", "81:80"], "--publish: 80 cannot be both"),
        (["--publish", "80", "--publish", "80:81"], "port 80 of this machine is given to two ports"),
        ((1...17).flatMap { ["--allow-port", "\($0)"] }, "at most 16 ports"),
    ])
    func `a wrong port is an error that says what is wrong`(words: [String], text: String) {
        let error = #expect(throws: WrongOption.self) { try RunOptions(words + ["ls"]) }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ([], "name the program to run"), (["--"], "name the program to run"), (["-x", "ls"], "unknown option -x"),
        (["--raed", "a", "ls"], "did you mean --read?"), (["--policy"], "missing value for --policy <policy>"),
        (["--policy", "--", "ls"], "missing value for --policy"), (["--explain=yes", "ls"], "takes no value"),
        (["--memory", "0", "--", "ls"], "--memory: write"), (["--timeout", "-1", "ls"], "must be more than 0"),
        (["--timeout", "nan", "ls"], "must be more than 0"), (["--waive", "luck", "ls"], "is not a layer: user"),
        (["--launch-limit=1e9", "ls"], "at most 1000000 seconds"), (["--launch-limit", "none", "ls"], "more than 0"),
        (["--timeout", "0", "ls"], "at most 1000000 seconds, or `none`"), (["--timeout", "inf", "ls"], "more than 0"),
        (["-\u{1B}[31m"], "[31m; options come before the program"),
    ])
    func `a wrong word is an error that says what is wrong`(words: [String], text: String) {
        let error = #expect(throws: WrongOption.self) { try RunOptions(words) }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test func `a run has no time limit if it is none, and the help states the limit without the option`() throws {
        let policy = try Policy.shipped(named: "tool")
        let seconds = policy.limits.request.components.seconds
        #expect(RunOption.help().split { $0.isWhitespace }.joined(separator: " ").contains("\(seconds) for tool."))
        let endless = try policy.limited(to: RunOptions(["--timeout", "none", "ls"]).limits).limits
        #expect(endless.request == PolicyLimits.noTimeLimit && endless.processor == policy.limits.processor)
        #expect(endless.values.first { $0.name == .request }?.value.text == "none")
        #expect(PolicyLimits(numbers: endless.numbers) == endless)
    }

    @Test func `help is asked for before the program only`() {
        for words in [["-h"], ["--help", "--", "ls"], ["--explain", "--help"], ["--read", "a", "-h"]] {
            #expect(RunOptions.askForHelp(words), "\(words)")
        }
        for words in [["ls", "--help"], ["--", "--help"], ["--read", "--help"], ["--read", "-h", "ls"]] {
            #expect(!RunOptions.askForHelp(words), "\(words)")
        }
    }

    @Test func `the help lists each option with its value in lines that the help does not break again`() {
        let lines = RunOption.help().split(separator: "\n")
        for option in RunOption.all {
            let head = "  \(option.name)" + (option.value.map { " <\($0)>" } ?? "")
            #expect(lines.count { $0 == head || $0.hasPrefix(head + " ") } == 1, "\(head)")
        }
        #expect(lines.allSatisfy { $0.count < 80 } && lines.contains { $0.contains("debug, display, git") })
        #expect(!RunOption.help().contains("{words}"))
    }

    @Test func `the help lists each allowance with its own words`() throws {
        let help = RunCommand.helpMessage(columns: 80)
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let words = help.split { $0.isWhitespace }.joined(separator: " ")
        for name in PolicyLibrary.shipped.allowances {
            let fragment = try PolicyLibrary.shipped.fragment(named: name)
            #expect(words.contains(" \(name) \(fragment.help) ") && fragment.help != fragment.name, "\(name)")
        }
    }

    @Test func `an allowance without words for the help is listed with its name`() {
        let text = "name: set the clock\nmeans: The program can set the clock.\n"
        let long = String(repeating: "a word ", count: 11)
        let library = PolicyLibrary(
            texts: [:],
            fragments: ["clock": "allowance: clock\n" + text, "odd": "allowance: odd\n\(text)help: \(long)"])
        let lines = RunOption.allowanceHelp(library).split(separator: "\n")
        #expect(lines.first == "  clock  set the clock" && lines.count == 3)
        #expect(lines.allSatisfy { $0.count < 80 } && lines[1].hasPrefix("  odd    a word"))
    }

    @Test func `a shell offers options, their words, and files`() {
        #expect(RunOption.completions(after: [], prefix: "--wr") == ["--write", "--write-execute"])
        #expect(RunOption.completions(after: ["--explain"], prefix: "--he") == ["--help"])
        #expect(RunOption.completions(after: ["--allow"], prefix: "lo") == ["loopback"])
        #expect(RunOption.completions(after: ["--waive"], prefix: "landl") == ["landlock"])
        #expect(RunOption.completions(after: ["--read"], prefix: "/etc/host").contains("/etc/hosts"))
        #expect(RunOption.completions(after: ["--directory"], prefix: "/et").contains("/etc/"))
        #expect(!RunOption.completions(after: ["--directory"], prefix: "/etc/host").contains("/etc/hosts"))
        #expect(RunOption.completions(after: ["ls"], prefix: "--re").isEmpty)
        #expect(RunOption.completions(after: [], prefix: "l").isEmpty)
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
