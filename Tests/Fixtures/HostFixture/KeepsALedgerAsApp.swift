// The program of a containing app that writes to a ledger in its app group. Its arguments are the folder of private directories,
// the group and the number of entries.
import AnnexApp
import Glibc
import Ledgers

enum KeepsALedgerAsApp {
    static func run() {
        let arguments = CommandLine.arguments
        do {
            try ContainingApp.start(privateDirectories: arguments[1])
            let ledger = try Ledger(at: AppGroup(arguments[2]).path + "/ledger.db")
            try ledger.add(Int(arguments[3]) ?? 0, by: "app")
            print(try ledger.summary())
        } catch {
            print(error)
            exit(1)
        }
    }
}
