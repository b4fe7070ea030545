import AnnexLinux
import AnnexPolicy
import Testing

@testable import AnnexLaunch

/// The callers of a system call in a static program, found without tracing the program.
@Suite(.serialized, .timeLimit(.minutes(20))) struct BacktraceTests {
    @Test func `a backtrace names the functions that led to a denied call`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("deep", under: AskingProgram.policy())
        let backtrace = try #require(outcome.end.denials.first?.backtrace)
        #expect(backtrace.missing == nil)
        let names = backtrace.frames.compactMap { $0.function?.description }
        #expect(names.first?.hasSuffix("socket") == true, "\(names)")
        let mine = names.filter { $0.hasPrefix("ask_") }
        #expect(mine == ["ask_for_a_socket", "ask_from_afar", "ask_from_afar", "ask_from_afar", "ask_from_afar"])
        #expect(names.contains("main"))
        #expect(backtrace.frames.allSatisfy { $0.isOfProgram && $0.module?.description == "program" })
    }

    @Test func `TTY-03: a name that a program gives itself is escaped`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("named", under: AskingProgram.policy())
        let denial = try #require(outcome.end.denials.first)
        #expect(denial.caller.executable?.description == #"a\u{1b}[2J"#)
        #expect(denial.caller.process == denial.caller.thread)
        #expect(denial.caller.thread != 0)
    }

    /// The reader's rights decide whether the kernel still shows the program. So the report has either a backtrace or
    /// the reason why there is none.
    @Test func `a program that hides itself is reported all the same`() async throws {
        let program = try AskingProgram()
        defer { program.close() }
        let outcome = try await program.run("hidden", under: AskingProgram.policy())
        let denial = try #require(outcome.end.denials.first)
        #expect(denial.call == "socket")
        let backtrace = try #require(denial.backtrace)
        #expect(backtrace.frames.isEmpty == (backtrace.missing != nil))
    }
}
