// The containing app's own program: `Ledger add AMOUNT TEXT`, `list`, `total`, `check`.
import AnnexApp
import Glibc
import LedgerKit

/// - Returns: the lines to print.
func run() async throws -> [String] {
    try ContainingApp.start()
    let ledger = try await Ledger(in: AppGroup(Ledger.group))
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "add":
        guard let entry = LedgerEntry(words.dropFirst().joined(separator: " ")) else {
            throw PortalError(.invalid, what: "an entry begins with an amount", remedy: "Ledger add 12.50 bread")
        }
        try await ledger.add([entry])
        return ["booked \(Escaped(entry.description))"]
    // A text may come from any selection. It is escaped, so that it cannot send control codes to the terminal.
    case "list": return try await ledger.entries().map { "\(Escaped($0.description))" }
    case "total": return [try await ledger.total()]
    case "check": return try await ledger.check().map { "\(Escaped($0))" }
    default: throw PortalError(.invalid, what: "usage: Ledger add AMOUNT TEXT | list | total | check")
    }
}

do {
    for line in try await run() { print(line) }
} catch {
    let message = "Ledger: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
