internal import AnnexLinux
package import AnnexPortal
internal import CAnnexSQLite
internal import Glibc

/// The error that says why the store of a group, or a secret in it, could not be used.
package struct StoreError: Error, Sendable, Hashable {
    /// The kind of error, for programs.
    package enum Kind: Sendable, Hashable {
        /// An argument breaks a rule.
        case invalid
        /// A limit of the group is reached, or the disk is full. Nothing was changed.
        case full
        /// The file is not a store, or its contents are damaged. Nothing was changed.
        case damaged
        /// A newer version of Annex wrote the store. Nothing was changed.
        case newer
        /// Another process kept the store locked for too long. Nothing was changed.
        case busy
        /// Another process has changed the values since they were read. Nothing was changed.
        case changed
        /// Nothing with this name exists.
        case notFound
        /// A file belongs to another user, or other users can change it.
        case unsafe
        /// The key of the user's secrets cannot be used.
        case noKey
        /// A secret was sealed with another key.
        case otherKey
        /// The bytes of a secret were changed, or were moved here from another name or group.
        case altered
        /// The system denied something that is needed.
        case system
    }

    package let kind: Kind
    /// The problem, in one line.
    package let what: String
    /// The path of the file; nil if the error is about no file. Extensions must not learn this path.
    package let place: String?
    /// The remedy; nil if the remedy is not known.
    package let remedy: String?
    /// SQLite's extended result code; 0 if the error is not SQLite's.
    package let code: Int32

    package init(
        _ kind: Kind, what: String, place: String? = nil, remedy: String? = nil, code: Int32 = 0
    ) {
        self.kind = kind
        self.what = what
        self.place = place
        self.remedy = remedy
        self.code = code
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        (place.map { "\($0): " } ?? "") + what + (remedy.map { "; \($0)" } ?? "")
    }
}

extension StoreError {
    /// An error of SQLite.
    /// - Parameters:
    ///   - code: the extended result code.
    ///   - text: the message of SQLite.
    ///   - number: the errno of the system call that failed; 0 if no call failed.
    init(code: Int32, text: String, errno number: Int32, place: String) {
        let (kind, remedy) = Self.meaning(of: code, errno: number)
        self.init(kind, what: "\(text) (SQLite \(code))", place: place, remedy: remedy, code: code)
    }

    private static func meaning(of code: Int32, errno number: Int32) -> (Kind, String?) {
        switch code & 0xff {
        case SQLITE_FULL: (.full, roomRemedy)
        // For an exceeded quota or file size limit, SQLite reports other codes than for a full disk. The errno does
        // not always belong to the failed write. So every failed write counts as lack of space, unless the errno says
        // that the disk is broken or read-only.
        case SQLITE_IOERR where failedWrites.contains(code) && ![EIO, EROFS].contains(number): (.full, roomRemedy)
        case SQLITE_CORRUPT, SQLITE_NOTADB: (.damaged, damageRemedy)
        case SQLITE_BUSY, SQLITE_LOCKED:
            (.busy, "end the process that keeps the store locked, and try again; nothing was changed")
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            (.system, rightsRemedy)
        default: (.system, nil)
        }
    }

    /// `SQLITE_IOERR_WRITE` and `SQLITE_IOERR_SHMSIZE`. Swift does not import their macros.
    private static let failedWrites = [SQLITE_IOERR | 3 << 8, SQLITE_IOERR | 19 << 8]

    private static let rightsRemedy = "give this user the right to write to the folder and to the files store.db* in it"

    private static let roomRemedy = "free space on this disk, or raise the quota; nothing was changed"

    static let damageRemedy =
        "move store.db, store.db-wal and store.db-shm away together, or restore them from a copy; nothing was changed"
}

extension StoreError {
    /// The error of a system call that failed on the store's file.
    init(_ error: SystemError, at place: String) {
        let isFull = [ENOSPC, EDQUOT].contains(error.errno)
        self.init(
            isFull ? .full : .system, what: "store.db: \(error.call): \(Errno.name(error.errno))", place: place,
            remedy: error.remedy ?? (isFull ? Self.roomRemedy : Self.rightsRemedy))
    }
}

extension PortalError {
    /// The error as a member sees it: without paths of the host.
    package init(_ error: StoreError) {
        let code: Code
        switch error.kind {
        case .invalid: code = .invalid
        case .full: code = .full
        case .damaged, .newer, .otherKey, .altered: code = .damaged
        case .changed: code = .changed
        case .notFound: code = .notFound
        case .busy, .unsafe, .noKey, .system: code = .system
        }
        self.init(code, what: error.what, remedy: error.remedy)
    }
}
