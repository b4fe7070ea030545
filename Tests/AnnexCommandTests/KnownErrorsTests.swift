import AnnexPolicy
import AnnexShippedPolicies
import Foundation
import Glibc
import Testing

@testable import AnnexCommand

/// Hints about errors that name neither a call nor a path. Each text was printed by the program in a sandbox.
@Suite(.timeLimit(.minutes(20))) struct KnownErrorsTests {
    private func hint(_ text: String, policy name: String = "tool", write: [String] = []) throws -> RunHint? {
        var options = RunOptions()
        options.write = write
        options.program = ["true"]
        return try Self.known(text, policy: name, options).hint(HintTable.shipped.errors, denials: [])
    }

    private static func known(_ text: String, policy name: String, _ options: RunOptions) throws -> KnownErrors {
        let policy = try Policy.compiledAhead(named: name, overriding: nil)
        return KnownErrors(
            errors: StatedErrors(Array(text.utf8), directory: "/"), policy: policy,
            allowances: Allowances(beside: policy), given: GivenPaths(options))
    }

    private enum Part: CaseIterable {
        case programs, limits, errors

        var rows: [HintRow] {
            switch self {
            case .programs: HintTable.shipped.programs
            case .limits: HintTable.shipped.limits
            case .errors: HintTable.shipped.errors
            }
        }
    }

    /// A recorded text and its row.
    private struct Recorded: CustomTestStringConvertible {
        let text: String
        let part: Part
        let index: Int
        var testDescription: String { text }

        static let all: [Recorded] = Part.allCases.flatMap { part in
            part.rows.enumerated().flatMap { index, row in
                row.recorded.map { Recorded(text: $0, part: part, index: index) }
            }
        }
    }

    @Test func `the table of hints is read, and each row has a recorded text`() throws {
        let table = try HintTable(text: #require(ShippedTexts.hints["run"]))
        #expect(table.programs.count == HintTable.shipped.programs.count && !table.programs.isEmpty)
        #expect(!table.limits.isEmpty && !table.errors.isEmpty && !table.errnos.isEmpty && table.probes != nil)
        for row in table.programs + table.errors { #expect(!row.recorded.isEmpty, "\(row)") }
        for case .options(let lists) in (table.programs + table.errors).map(\.need) {
            for (option, name) in lists.flatMap({ zip($0, $0.dropFirst()) }) where option == "--allow" {
                #expect(PolicyLibrary.shipped.allowances.contains(name), "\(name)")
            }
        }
    }

    @Test(arguments: Recorded.all)
    private func `a recorded text leads to its row`(recorded: Recorded) throws {
        let errors = StatedErrors(Array(recorded.text.utf8), directory: "/")
        #expect(recorded.part.rows.firstIndex { $0.applies(to: errors) } == recorded.index)
        guard recorded.part != .programs else { return }
        #expect(!HintTable.shipped.programs.contains { $0.applies(to: errors) })
    }

    @Test(arguments: [
        ("hints: []", "unknown key `hints`"), ("errors: [{ text: a }]", "unknown key `text`"),
        ("errors: [{ needs: luck }]", "unknown needs `luck`"), ("limits: [{ limit: memry }]", "did you mean `memory`"),
        ("errnos: { a: EWRONG }", "unknown errno"), ("errors: [{ signal: SIGHUP }]", "the signal must be SIGXFSZ"),
        ("probes: [nosuchcall]", "nosuchcall"), ("errors: { a: b }", "must be a list"),
        ("errors: [{ silent: false }]", "must be true"), ("errors: [{ first: no }]", "`first` must be true"),
        ("errors: [{ certainty: perhaps }]", "`certainty` is a detail of `limit`"),
        ("limits: [{ limit: memory, certainty: likely }]", "unknown certainty `likely`"),
        ("errors: [{ allow: [jit], limit: memory }]", "a hint has one of allow and limit"),
        ("errors: [{ allow: [jit], where: [/etc] }]", "`/etc` is neither"),
    ])
    func `a mistake in a table of hints is named`(text: String, problem: String) {
        let error = #expect(throws: PolicyError.self) { try HintTable(text: text) }
        #expect(error.map { "\($0)" }?.contains(problem) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("gpg: can't connect to the agent: General error", ["--allow", "sockets"]),
        ("error connecting to /tmp/x (Address family not supported by protocol)", ["--allow", "sockets"]),
        (
            "DETAIL:  Failed system call was shmget(key=1, size=56, 03600): Function not implemented",
            ["--allow", "ipc"]
        ),
        ("configure: error: cannot run C compiled programs.", ["--write-execute", "/tmp"]),
        ("This may be due to a lack of SYSV IPC support.", ["--allow", "ipc"]),
        ("\t  1 - t (BAD_COMMAND)", ["--write-execute", "/tmp"]),
    ])
    func `a known text leads to the options that help`(text: String, options: [String]) throws {
        #expect(try hint(text, write: ["/tmp"])?.choices.map(\.options) == [options])
    }

    /// The policy denies this call without a record, so only the program's own words lead to it.
    @Test func `a call that the policy denies quietly is named, and one that it allows is not`() throws {
        #expect(try hint("Error: ENOSYS: function not implemented, watch '/tmp'")?.choices.isEmpty != false)
        #expect(try hint("memfd_create: Function not implemented")?.choices.first?.options.last == "memfd_create")
    }

    @Test(
        arguments: [
            "bwrap: Can't read /proc/sys/kernel/overflowuid: No such file or directory",
            "mount: /mnt: must be superuser to use mount.", "su: Critical error - immediate abort",
            "passwd: pam_start() failed, error 26", "chown: changing ownership of 'q': Operation not permitted",
            "fallocate: fallocate failed: Operation not supported",
            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        ])
    func `what no option gives is said, and no option is named`(text: String) throws {
        let found = try #require(try hint(text))
        #expect(found.choices.isEmpty && found.line.contains("no "), "\(found)")
    }

    @Test(arguments: [
        "ERROR: /proc not mounted - LibreOffice is unlikely to work well if at all",
        "[3:3:1128/1.2:FATAL:chrome/browser/process_singleton_posix.cc:297] Check failed: . socket() failed",
    ])
    func `a large program is given all that it needs at once, and nothing twice`(text: String) throws {
        #expect(try programHint(text, policy: "tool") == ["--allow", "proc", "--allow", "sockets", "--allow", "jit"])
        #expect(try programHint(text, policy: "tool+sockets") == ["--allow", "proc", "--allow", "jit"])
        #expect(try programHint(text, policy: "tool+jit+proc+sockets") == nil)
        #expect(try programHint("another error", policy: "tool") == nil)
    }

    private func programHint(_ text: String, policy name: String) throws -> [String]? {
        try Self.known(text, policy: name, RunOptions()).hint(HintTable.shipped.programs, denials: [])?.choices
            .flatMap(\.options)
    }

    @Test func `the modules of a virtual environment are in the environment`() throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "annex-venv-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: place) }
        try FileManager.default.createDirectory(atPath: place + "/bin", withIntermediateDirectories: true)
        #expect(try moduleHint(of: place + "/bin/tool") == nil)
        for name in ["pyvenv.cfg", "bin/python3"] { try Data().write(to: URL(filePath: place + "/" + name)) }
        let resolved = try #require(GivenPaths.resolved(place))
        #expect(try moduleHint(of: place + "/bin/tool") == ["--execute", resolved])
        #expect(try moduleHint(of: place + "/bin/tool", read: [place]) == nil)
        #expect(try moduleHint(of: "tool") == nil)
        // Another user could have made such a directory look like an environment.
        chmod(place, 0o777)
        #expect(try moduleHint(of: place + "/bin/tool") == nil)
    }

    @Test func `a path with braces is shown as it is`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "annex-{written}-{1}-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let found = try #require(try hint("configure: error: cannot run C compiled programs.", write: [folder.path]))
        #expect(found.line.contains("use --write-execute '\(folder.path)' instead of --write '\(folder.path)',"))
    }

    @Test(arguments: [
        ("/srv/data", "/srv/data"), ("/srv/my data", "'/srv/my data'"), ("/srv/$(id)", "'/srv/$(id)'"),
        ("/srv/q'$(id)'b", "PATH"), ("/srv/a\\b", "PATH"), ("/srv/a\nb", "PATH"), ("/srv/\u{1B}[2J", "PATH"),
    ])
    func `a hint shows only words that a shell takes unchanged`(word: String, shown: String) {
        #expect(RunChoice("--read", word).shown == "--read \(shown)")
    }

    private func moduleHint(of program: String, read: [String] = []) throws -> [String]? {
        var options = RunOptions()
        options.program = [program]
        options.read = read
        return try Self.known("ModuleNotFoundError: No module named 'a'", policy: "tool", options)
            .hint(HintTable.shipped.errors, denials: [])?.choices.flatMap(\.options)
    }

    @Test func `a sanitizer needs addresses, and its check for leaks the rights of a debugger`() throws {
        let hint = try #require(try hint("==1==ReserveShadowMemoryRange failed while trying to map 0x1000 bytes"))
        #expect(hint.choices.map { $0.options.contains("debug") } == [true, false])
        #expect(hint.choices.allSatisfy { $0.options.starts(with: ["--memory", "20T"]) })
    }

    @Test func `what the policy already allows, or nothing can allow, is not offered`() throws {
        #expect(try hint("can't connect to the agent", policy: "tool+sockets") == nil)
        #expect(try hint("configure: error: cannot run C compiled programs.") == nil)
        let terminal = try #require(try hint("script: failed to create pseudo-terminal: No such file or directory"))
        #expect(terminal.choices.isEmpty && terminal.line.contains("no option"))
        #expect(try hint("something else failed") == nil)
    }
}
