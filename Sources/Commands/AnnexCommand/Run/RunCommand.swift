import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import ArgumentParser
import Glibc

/// `annex run`: runs any program of this machine under any policy.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a program in a sandbox.",
        usage: "annex run [OPTION…] [--] PROGRAM [ARGUMENT…]",
        discussion: """
            The program sees the files that its policy grants and those that --read and --write add, under their usual \
            paths. It sees nothing else of this machine. Unless the policy grants them, it has no network, no \
            capabilities, and no other processes. If a program fails because something was denied, the last line \
            usually names the option that allows it. Notes name, also after a success, what was lost and which files may \
            not be executed.

            HOME AND FILES
            \(RunHelp.differences)

            EXAMPLES
              annex run -- python3 -c 'print(2 + 2)'
              annex run --read photo.png --write out -- convert photo.png out/photo.jpg
              annex run --memory 64M --timeout 10 --report end.json -- ./a.out
              annex run --execute . -- ./check.sh       runs what lies in this directory
              annex run --write-execute . -- ./configure           also runs what it builds
              annex run --allow network -- curl -sS https://example.org
              annex run --read . --allow jit -- node main.js
              annex run --ask -- ./build.sh             asks for what it lacks
              annex run --env HOME --read ~/.config/app -- app     with your settings
              annex run -- bash                         with a terminal of its own

            OPTIONS
            \(RunOption.help())

            ENVIRONMENT AND LIMITS
            \(RunOption.environmentHelp())
            \(RunOption.limitHelp())

            ALLOWANCES
            \(RunOption.allowanceHelp())
            Chromium and LibreOffice need jit, proc and sockets. AddressSanitizer needs --memory 20T and \
            --env ASAN_OPTIONS=detect_leaks=0. If a program hangs, run it again with --timeout 15: the last line then names a call \
            that was denied.

            EXIT STATUS
            \(RunHelp.exitStatus)
            """)

    @Argument(
        parsing: .captureForPassthrough,
        help: "The program and its arguments. Words after the program are never options of this command.",
        completion: .custom { words, index, prefix in
            // The first two words are `annex run`. The shell passes the word that it completes with the others.
            RunOption.completions(after: Array(words.prefix(index).dropFirst(2)), prefix: prefix)
        })
    var command: [String] = []

    func validate() throws {
        if RunOptions.askForHelp(command) { throw CleanExit.helpRequest(self) }
        do throws(WrongOption) {
            _ = try RunOptions(command)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// Ends the process itself. If this function threw an exit status, the parser would first write its whole help
    /// text.
    func run() throws {
        AskedRuns(try RunOptions(command)).runToTheEnd()
    }
}
