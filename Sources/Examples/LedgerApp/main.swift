// The containing app's own program: `Ledger add AMOUNT TEXT`, `list`, `total`.
import AnnexApp
import Glibc
import LedgerKit

func run() throws -> String {
    try ContainingApp.start()
    let ledger = try Ledger()
    let words = Array(CommandLine.arguments.dropFirst())
    switch words.first {
    case "add":
        guard let entry = LedgerEntry(words.dropFirst().joined(separator: " ")) else {
            throw PortalError(.invalid, what: "an entry is an amount and a text", remedy: "Ledger add 12.50 bread")
        }
        try ledger.add(entry)
        return try ledger.total()
    case "list": return try ledger.entries().map { "\($0.shownAmount)  \($0.text)" }.joined(separator: "\n")
    case "total": return try ledger.total()
    default: throw PortalError(.invalid, what: "usage: Ledger add AMOUNT TEXT | list | total")
    }
}

do {
    print(try run())
} catch {
    let message = "Ledger: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
