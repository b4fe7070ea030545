// A containing app that records how it was started, in the file that its URL names. If it was started for another reason,
// the file is `started` beside the app. Then the app waits to be killed.
import AnnexApp
import AnnexModel
import Glibc

enum RecordsOpening {
    static func run() throws {
        let app = try ContainingApp.start()
        guard let reason = app.startReason else { exit(1) }
        let place = app.openedURL.map { String($0.text.drop { $0 != ":" }.dropFirst()) } ?? placeBesideApp()

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
            "pid \(getpid())", "url \(app.openedURL?.text ?? "none")",
            "reason \(reason.argument)", "arguments \(CommandLine.arguments.count)", "directory \(directory)",
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

    private static func placeBesideApp() -> String {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &room, room.count)
        let program = String(decoding: room.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return program.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" } + "/started"
    }
}
