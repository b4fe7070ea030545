// Opens the store of a group and writes to it.
//
//     writes-defaults pairs STORE          writes until it is killed: two keys get the same value in each transaction
//     writes-defaults fills STORE BYTES    writes values until it fails, while no file may become larger than BYTES
//     writes-defaults once STORE KEY VALUE
import AnnexPortal
import AnnexPortalServer
import Glibc

enum WritesDefaults {
    static func run() throws {
        let words = CommandLine.arguments

        let store = try GroupStore(at: words[2])
        switch words[1] {
        case "pairs": try writePairs(store)
        case "fills": fill(store, upTo: UInt(words[3]) ?? 0)
        default: _ = try store.change([DefaultsEntry(key: words[3], value: Array(words[4].utf8))])
        }
    }

    /// Writes the same bytes for both keys, of any size up to some pages.
    private static func writePairs(_ store: GroupStore) throws {
        while true {
            let size = Int.random(in: 1...20_000)
            let value = [UInt8](repeating: UInt8.random(in: 0...255), count: size)
            _ = try store.change([DefaultsEntry(key: "one", value: value), DefaultsEntry(key: "other", value: value)])
            _ = try store.setBoard(
                to: [
                    BoardItem([
                        BoardRepresentation(type: "one", bytes: value),
                        BoardRepresentation(type: "other", bytes: value),
                    ])
                ],
                by: "writes-defaults")
            try store.append([StoredNews(kind: 1, path: "file", origin: "writes-defaults")])
        }
    }

    /// Prints the number of values that were written before the error, SQLite's code, and the kind of the error.
    private static func fill(_ store: GroupStore, upTo bytes: UInt) {
        // The system call must fail, and must not end this program.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        for number in 0... {
            do throws(StoreError) {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 30_000)
                _ = try store.change([DefaultsEntry(key: "key \(number)", value: value)])
            } catch {
                return print("\(number) \(error.code) \(error.kind)")
            }
        }
    }
}
