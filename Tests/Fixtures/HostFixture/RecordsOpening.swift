// A containing app that records how it was started, in the file that its URL names. Then it waits to be killed.
import AnnexApp
import Glibc

enum RecordsOpening {
    static func run() throws {
        guard let url = try ContainingApp.start().openedURL else { exit(1) }
        let place = String(url.text.drop { $0 != ":" }.dropFirst())

        let numbers = (0..<64).filter { fcntl($0, F_GETFD) >= 0 && $0 > 2 }
        let directory = getcwd(nil, 0).map { String(cString: $0) } ?? ""
        var mask = sigset_t()
        sigprocmask(SIG_SETMASK, nil, &mask)
        var names: [String] = []
        var next = environ
        while let variable = next.pointee {
            names.append(String(String(cString: variable).prefix { $0 != "=" }))
            next += 1
        }
        let lines = [
            "pid \(getpid())", "url \(url)", "arguments \(CommandLine.arguments.count)", "directory \(directory)",
            "descriptors \(numbers)", "session \(getsid(0) != getpid() && getsid(0) > 0)",
            "user \(getuid()) \(geteuid())",
            "blocked \(sigismember(&mask, SIGTERM))", "environment \(names.sorted().joined(separator: " "))",
        ]
        let file = fopen(place + ".new", "w")
        fputs(lines.joined(separator: "\n") + "\n", file)
        fclose(file)
        rename(place + ".new", place)
        while true { pause() }
    }
}
