// Begins background transfers of each kind. The words of a request's text are a command, the group, and the values for
// the command.
import AnnexExtension
import AnnexGroups
import Glibc

final class BeginsTransfers: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let words = (items.first?.contentText ?? "").split(separator: " ").map(String.init)
        let answer: String
        do {
            guard words.count >= 2 else { return [ExtensionItem(contentText: "no command")] }
            let session = try await BackgroundSession(
                identifier: "com.example.shout.sync", sharedContainerIdentifier: words[1])
            answer = try await act(words[0], in: session, at: AppGroup(words[1]).path, Array(words.dropFirst(2)))
        } catch let error as PortalError {
            answer = "\(error.code): \(error)"
        }
        return [ExtensionItem(contentText: answer)]
    }

    private func act(
        _ command: String, in session: BackgroundSession, at folder: String, _ rest: [String]
    ) async throws -> String {
        switch command {
        case "transfers" where rest.count == 4: return try await begin(in: session, at: folder, rest)
        case "fetches" where rest.count == 2:
            return "begun \(try await session.download(from: rest[0], to: rest[1]).id)"
        case "notes":
            var lines: [String] = []
            for task in try await session.tasks() {
                guard let outcome = try await task.outcome() else { continue }
                let body = String(decoding: outcome.body, as: UTF8.self)
                lines.append("\(task.id) \(outcome.status ?? 0) \(outcome.failure ?? "-") \(body)")
            }
            try await session.finishEvents()
            return lines.joined(separator: "\n")
        default: return "no such command"
        }
    }

    /// Begins an upload of a file, an upload of a form, and a download. Their values are the server with `#` for a letter
    /// of its name, the query, the size of each file, and the mark of these transfers.
    private func begin(in session: BackgroundSession, at folder: String, _ rest: [String]) async throws -> String {
        let (server, query, mark) = (rest[0].split(separator: "#"), rest[1], rest[3])
        guard let size = Int(rest[2]) else { return "no size" }
        for name in ["put-\(mark)", "form-\(mark)"] where !write(size, to: folder + "/" + name) { return "no file" }
        let file = try await session.upload(
            to: server.joined(separator: "a") + "/put/\(mark)\(query)", fromFile: "put-\(mark)")
        let form = try await session.upload(
            to: server.joined(separator: "b") + "/form/\(mark)\(query)",
            parts: [.text("Summer", named: "title"), .file("form-\(mark)", named: "file")])
        let download = try await session.download(
            from: server.joined(separator: "c") + "/file/\(size)\(query)&\(mark)", to: "got-\(mark)")
        return "begun \(file.id) \(form.id) \(download.id)"
    }

    /// Writes a file with the bytes that the server's files have.
    private func write(_ size: Int, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        let block = (0..<65521).map { UInt8(truncatingIfNeeded: $0 * 131 ^ $0 >> 7) }
        var left = size
        while left > 0 {
            let count = min(left, block.count)
            guard Glibc.write(file, block, count) == count else { return false }
            left -= count
        }
        return true
    }
}
