internal import AnnexPortal
internal import CAnnexSQLite

/// The store of a group could not be used.
package struct StoreError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A limit of the group, or the disk, is full. Nothing was changed.
        case full
        /// The file is not a store, or its contents are damaged. Nothing was changed.
        case damaged
        /// A newer version of Annex wrote the store.
        case newer
        /// Another process kept the store locked for too long.
        case busy
        /// There is nothing of this name.
        case notFound
        case system
    }

    package let kind: Kind
    package let what: String
    package let remedy: String?

    package init(_ kind: Kind, what: String, remedy: String? = nil) {
        self.kind = kind
        self.what = what
        self.remedy = remedy
    }

    /// `SQLITE_IOERR_WRITE` and `SQLITE_IOERR_SHMSIZE`. Swift does not import their macros.
    private static let lackOfRoom = [SQLITE_IOERR | 3 << 8, SQLITE_IOERR | 19 << 8]

    /// - Parameters:
    ///   - code: SQLite's extended result code.
    ///   - text: SQLite's own words.
    init(code: Int32, text: String, path: String) {
        let what = "\(path): \(text) (SQLite \(code))"
        switch code & 0xff {
        case SQLITE_FULL:
            self.init(.full, what: what, remedy: "free space on this disk; nothing was changed")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.damaged, what: what, remedy: "move the file away, or restore it from a copy; nothing was changed")
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, what: what, remedy: "end the process that keeps the store locked")
        case SQLITE_IOERR where Self.lackOfRoom.contains(code):
            self.init(.full, what: what, remedy: "free space on this disk; nothing was changed")
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            self.init(.system, what: what, remedy: "make the folder writable for this user")
        default:
            self.init(.system, what: what)
        }
    }
}

extension PortalError {
    init(_ error: StoreError) {
        let code: Code
        switch error.kind {
        case .full: code = .full
        case .damaged, .newer: code = .damaged
        case .notFound: code = .notFound
        case .busy, .system: code = .system
        }
        self.init(code, what: error.what, remedy: error.remedy)
    }
}
