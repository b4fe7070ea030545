// Uses its app groups. The words of a request's text are a command, the group, and the values for the command.
import AnnexExtension
import AnnexGroups
import Glibc

final class SharesData: AppExtension {
    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let words = (items.first?.contentText ?? "").split(separator: " ").map(String.init)
        let answer: String
        do {
            answer = try await act(words.first ?? "", words.count > 1 ? words[1] : "", Array(words.dropFirst(2)))
        } catch let error as PortalError {
            answer = "\(error.code): \(error)"
        }
        return [ExtensionItem(contentText: answer)]
    }

    private func act(_ conduct: String, _ group: String, _ rest: [String]) async throws -> String {
        switch conduct {
        case "groups": return try AppGroup.ofThisProcess.joined(separator: " ")
        case "where": return try AppGroup(group).path
        case "lists": return names(in: group)
        case "writes": return write(try AppGroup(group).path + "/" + rest[0], rest[1])
        case "reads": return read(try AppGroup(group).path + "/" + rest[0])
        case "has": return access(try AppGroup(group).path + "/" + rest[0], R_OK | W_OK) == 0 ? "yes" : "errno \(errno)"
        case "opens": return read(rest[0])
        case "sets":
            try SharedDefaults(suiteName: group).set(.string(rest[1]), forKey: rest[0])
            return "set"
        case "gets" where rest[0].hasSuffix("?"):
            return "\(try SharedDefaults(suiteName: group).bool(forKey: String(rest[0].dropLast())) ?? false)"
        case "gets": return try SharedDefaults(suiteName: group).string(forKey: rest[0]) ?? "none"
        case "adds": return try add(Int(rest[1]) ?? 0, to: rest[0], in: SharedDefaults(suiteName: group))
        case "copies":
            return "\(try Pasteboard(of: AppGroup(group)).set(rest[0], lasting: rest.count > 1 ? .zero : nil))"
        case "pastes": return try Pasteboard(of: AppGroup(group)).string() ?? "none"
        case "writer": return try Pasteboard(of: AppGroup(group)).writer
        case "hides":
            try SecretStore(of: AppGroup(group)).set(Array(rest[1].utf8), forKey: rest[0])
            return try SecretStore(of: AppGroup(group)).keySource
        case "reveals":
            let secret = try SecretStore(of: AppGroup(group)).secret(forKey: rest[0])
            return secret.map { String(decoding: $0, as: UTF8.self) } ?? "none"
        case "awaits": return try await change(of: group)
        case "floods": return try flood(AppGroup(group).path, as: rest[0])
        case "uploads": return try await upload(from: group, to: rest[0], Array(rest.dropFirst()))
        case "fills": return try fill(group, Int(rest[0]) ?? 0)
        default: return "no such conduct"
        }
    }

    /// Begins an upload of files that it writes first, and ends.
    private func upload(from group: String, to url: String, _ names: [String]) async throws -> String {
        let folder = try AppGroup(group).path
        for name in names where write("\(folder)/\(name)", "bytes of \(name)") != "written" { return "no file" }
        let session = try await BackgroundSession(
            identifier: "com.example.shout.sync", sharedContainerIdentifier: group)
        let files = names.map { UploadPart.file($0, named: "file") }
        let task = try await session.upload(to: url, parts: [.text("Summer", named: "title")] + files)
        return "begun \(task.id) \(try await task.receipt().text)"
    }

    private func change(of group: String) async throws -> String {
        let defaults = try SharedDefaults(suiteName: group)
        let changes = defaults.changes()
        try defaults.set(.bool(true), forKey: "ready")
        for await keys in changes where keys != ["ready"] {
            return keys.sorted().map { "\($0)=\(defaults.string(forKey: $0) ?? "none")" }.joined(separator: " ")
        }
        return "ended"
    }

    private func add(_ count: Int, to key: String, in defaults: SharedDefaults) throws -> String {
        for _ in 0..<count { try defaults.update { [key: .integer(($0[key]?.integer ?? 0) + 1)] } }
        return "\(defaults.integer(forKey: key) ?? 0)"
    }

    private func fill(_ group: String, _ count: Int) throws -> String {
        let defaults = try SharedDefaults(suiteName: group)
        let value = ItemValue.data([UInt8](repeating: 7, count: 60_000))
        for number in 0..<count { try defaults.set(value, forKey: "filler \(number)") }
        return "filled"
    }

    private func write(_ path: String, _ text: String) -> String {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { return "open: errno \(errno)" }
        defer { close(file) }
        let bytes = Array(text.utf8)
        return Glibc.write(file, bytes, bytes.count) == bytes.count ? "written" : "write: errno \(errno)"
    }

    /// Writes one file after another as fast as it can.
    private func flood(_ folder: String, as name: String) -> String {
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        for number in 0... {
            let file = open("\(folder)/\(name)-\(number)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard file >= 0 else { break }
            for _ in 0..<8 where Glibc.write(file, piece, piece.count) != piece.count { return "errno \(errno)" }
            close(file)
        }
        return "errno \(errno)"
    }

    private func read(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "errno \(errno)" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count < 0 ? "errno \(errno)" : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func names(in path: String) -> String {
        guard let directory = opendir(path) else { return "errno \(errno)" }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted().joined(separator: " ")
    }
}
