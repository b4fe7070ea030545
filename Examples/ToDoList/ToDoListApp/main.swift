// The containing app's own program: `ToDoList add TEXT…`, `list`, `done NUMBER`, or a URL such as
// todolist://add?buy%20milk
import AnnexApp
import Glibc
import ToDoKit

/// - Returns: the lines to print.
func run() throws(PortalError) -> [String] {
    let app = try ContainingApp.start()
    let list = try ToDoList()
    if let url = app.openedURL { return try add([text(in: url)], to: list) }
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "add" where words.count > 1: return try add(Array(words.dropFirst()), to: list)
    // An entry may come from any selected text. It is escaped, so that it cannot send control codes to the terminal.
    case "list" where words.count == 1: return list.entries.enumerated().map { "\($0 + 1)  \(Escaped($1))" }
    case "done" where words.count == 2:
        guard let number = Int(words[1]), let entry = try list.finish(number) else {
            throw PortalError(
                .notFound, what: "there is no entry \(Escaped(words[1]))", remedy: "ToDoList list shows the numbers")
        }
        return ["done \(Escaped(entry))"]
    default: throw PortalError(.invalid, what: "usage: ToDoList add TEXT… | list | done NUMBER")
    }
}

func add(_ texts: [String], to list: ToDoList) throws(PortalError) -> [String] {
    let added = try list.add(texts)
    guard !added.isEmpty else {
        throw PortalError(.invalid, what: "the text is blank", remedy: "name what to do: ToDoList add TEXT")
    }
    return added.map { "added \(Escaped($0))" }
}

do throws(PortalError) {
    for line in try run() { print(line) }
} catch {
    let message = "ToDoList: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
