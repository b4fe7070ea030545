// A containing app that takes note of its background transfers, in the file `outcomes` of its group, and ends. With the
// argument "crashes" as the name of a file in its group, it ends in the middle of its work.
import AnnexApp
import Glibc

enum HandlesTransfers {
    static func run() async throws {
        let app = try ContainingApp.start()
        guard case .backgroundSession(let identifier)? = app.startReason, let group = app.groups.first else { exit(2) }
        let folder = try AppGroup(group).path
        try await app.handleEvents(of: identifier) { session in
            var lines: [String] = []
            for task in try await session.tasks() {
                guard let outcome = try await task.outcome() else { continue }
                let body = String(decoding: outcome.body, as: UTF8.self)
                lines.append("\(task.id) \(outcome.status ?? 0) \(outcome.failure ?? "-") \(body)")
            }
            add("started \(lines.count)", to: folder + "/starts")
            if access(folder + "/crashes", F_OK) == 0 { exit(3) }
            for line in lines { add(line, to: folder + "/outcomes") }
        }
    }

    private static func add(_ line: String, to path: String) {
        guard let file = fopen(path, "a") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }
}
