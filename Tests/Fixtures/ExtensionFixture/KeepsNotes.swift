// Stores texts in its private directory. The first word of a request's text says what the extension does.
import AnnexExtension
import Glibc

final class KeepsNotes: AppExtension {
    private var place = ""

    func beginRequest(with context: ExtensionContext) {
        guard let place = context.privateDirectory else { return answer("none", in: context) }
        self.place = place
        let words = (context.inputItems.first?.contentText ?? "").split(separator: " ").map(String.init)
        let subject = words.dropFirst().joined(separator: " ")
        switch words.first {
        case "where": answer("\(place) \(variable("HOME")) \(variable("TMPDIR"))", in: context)
        case "notes": answer(note(subject), in: context)
        case "reads": answer(read("notes"), in: context)
        case "owns": answer(owner("notes"), in: context)
        case "lists": answer(names().joined(separator: " "), in: context)
        case "tries": answer(attempt(subject), in: context)
        case "fills": answer(fill(Int(subject) ?? 0), in: context)
        case "litters": answer(litter(Int(subject) ?? 0), in: context)
        case "nests": answer(nest(Int(subject) ?? 0), in: context)
        case "spoils": answer(spoil(), in: context)
        case "overruns": overrun(context)
        default: answer("no such conduct", in: context)
        }
    }

    private func answer(_ text: String, in context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: text)])
    }

    private func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "-" }

    /// Replaces the notes as a whole.
    private func note(_ text: String) -> String {
        let draft = open("\(place)/draft", O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard draft >= 0 else { return "open: errno \(errno)" }
        defer { close(draft) }
        let bytes = Array(text.utf8)
        guard write(draft, bytes, bytes.count) == bytes.count else { return "write: errno \(errno)" }
        guard fsync(draft) == 0 else { return "fsync: errno \(errno)" }
        guard rename("\(place)/draft", "\(place)/notes") == 0 else { return "rename: errno \(errno)" }
        return "noted"
    }

    private func read(_ name: String) -> String {
        let file = open("\(place)/\(name)", O_RDONLY)
        guard file >= 0 else { return "errno \(errno)" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count < 0 ? "errno \(errno)" : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Whether one of the extension's own files appears to belong to it.
    private func owner(_ name: String) -> String {
        var status = stat()
        guard stat("\(place)/\(name)", &status) == 0 else { return "errno \(errno)" }
        var directory = stat()
        guard stat(place, &directory) == 0 else { return "errno \(errno)" }
        return "\(status.st_uid == directory.st_uid && status.st_gid == directory.st_gid && status.st_uid != 0)"
    }

    private func names() -> [String] {
        guard let directory = opendir(place) else { return ["errno \(errno)"] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func attempt(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "errno \(errno)" }
        close(file)
        return "opened"
    }

    private func fill(_ bytes: Int) -> String {
        let file = open("\(place)/large", O_WRONLY | O_CREAT, 0o600)
        guard file >= 0 else { return "errno \(errno)" }
        defer { close(file) }
        let piece = [UInt8](repeating: 7, count: 1 << 16)
        var written = 0
        while written < bytes {
            let count = write(file, piece, min(piece.count, bytes - written))
            if count <= 0 { return "errno \(errno) after \(written)" }
            written += count
        }
        return "filled"
    }

    private func litter(_ count: Int) -> String {
        for number in 0..<count {
            let file = open("\(place)/\u{1B}[2J\(number)\n", O_WRONLY | O_CREAT, 0o600)
            guard file >= 0 else { return "errno \(errno) after \(number)" }
            close(file)
        }
        return "littered"
    }

    private func nest(_ depth: Int) -> String {
        var here = open(place, O_RDONLY | O_DIRECTORY)
        for level in 0..<depth {
            guard mkdirat(here, "d", 0o700) == 0 else { return "errno \(errno) at \(level)" }
            let next = openat(here, "d", O_RDONLY | O_DIRECTORY)
            close(here)
            here = next
        }
        close(here)
        return "nested"
    }

    /// Leaves entries that are hard to remove: a name that is not valid text, and a folder without rights. That folder is
    /// made last, because its files cannot be counted, which ends the extension at once.
    private func spoil() -> String {
        let name: [CChar] = Array("\(place)/".utf8CString.dropLast()) + [-1, -2, 10, 0]
        let file = open(name, O_WRONLY | O_CREAT, 0)
        guard file >= 0 else { return "errno \(errno)" }
        close(file)
        guard mkdir("\(place)/closed", 0o700) == 0, mkdir("\(place)/closed/inner", 0) == 0 else {
            return "errno \(errno)"
        }
        return "spoiled"
    }

    /// Fills the directory beyond every limit, and continues to write.
    private func overrun(_ context: ExtensionContext) {
        var number = 0
        while !context.isCancelled {
            let file = open("\(place)/\(number)", O_WRONLY | O_CREAT, 0o600)
            if file >= 0 { close(file) }
            number += 1
            if number % 100 == 0 { usleep(1000) }
        }
    }
}
