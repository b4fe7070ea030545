// The containing app's own program: `ToDoList add TEXT…`, `list`, `done NUMBER`, or a URL such as todolist://add?buy%20milk
import AnnexApp
import Glibc
import ToDoKit

func run() throws(PortalError) -> String {
    let app = try ContainingApp.start()
    let list = try ToDoList()
    if let url = app.openedURL { return try add(from: url, to: list) }
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "add" where words.count > 1:
        try list.add(words.dropFirst().map { $0 })
        return "\(list.entries.count) to do"
    case "list": return list.entries.enumerated().map { "\($0 + 1)  \($1)" }.joined(separator: "\n")
    case "done" where words.count == 2:
        guard let number = Int(words[1]), let entry = try list.finish(number) else {
            throw PortalError(.notFound, what: "there is no entry \(words[1])", remedy: "ToDoList list")
        }
        return "done: \(entry)"
    default: throw PortalError(.invalid, what: "usage: ToDoList add TEXT… | list | done NUMBER")
    }
}

/// Anything may have made the URL. This one can only add an entry.
func add(from url: AppURL, to list: ToDoList) throws(PortalError) -> String {
    guard url.text.hasPrefix("todolist://add?") else {
        throw PortalError(.invalid, what: "the app opens todolist://add?TEXT only")
    }
    let text = String(url.text.dropFirst("todolist://add?".count))
    try list.add([text.replacing("%20", with: " ")])
    return "added"
}

do throws(PortalError) {
    print(try run())
} catch {
    let message = "ToDoList: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
