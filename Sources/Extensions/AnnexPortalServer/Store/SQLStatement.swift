internal import CAnnexSQLite

/// A value of a statement.
enum SQLValue {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A prepared statement, which is finalised with this object.
@safe final class SQLStatement {
    // SAFETY: SQLite made the object. This value finalises the object once. If the program closes the connection
    // earlier, SQLite keeps the connection alive until the statement is finalised.
    fileprivate let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        unsafe self.handle = handle
    }

    deinit {
        _ = unsafe sqlite3_finalize(handle)
    }

    /// Goes to the next row.
    /// - Returns: `SQLITE_ROW`, `SQLITE_DONE`, or the code of an error.
    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// Ends the run of the statement and forgets its values, so that the statement holds no lock.
    func reset() {
        _ = unsafe sqlite3_reset(handle)
        _ = unsafe sqlite3_clear_bindings(handle)
    }

    /// Gives a parameter its value. SQLite copies the bytes.
    /// - Parameter place: the number of the parameter. The first parameter has number 1.
    func bind(_ value: SQLValue, at place: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, place)
        case .number(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .text(let text):
            // SAFETY: the count is the number of bytes in the text's UTF-8. If the text contains NUL bytes, SQLite
            // copies them too.
            unsafe sqlite3_bind_text64(
                handle, place, text, UInt64(text.utf8.count), annex_sqlite_transient(), UInt8(SQLITE_UTF8))
        case .bytes(let bytes):
            // An empty array may have no address. Without an address, `sqlite3_bind_blob64` would bind NULL.
            bytes.isEmpty
                ? unsafe sqlite3_bind_zeroblob(handle, place, 0)
                : unsafe sqlite3_bind_blob64(
                    handle, place, bytes, UInt64(bytes.count), annex_sqlite_transient())
        }
    }
}

/// The current row of a statement. This value cannot be copied, so it cannot outlive the row.
@safe struct SQLRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: SQLStatement) {
        unsafe self.statement = statement.handle
    }

    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

    /// A number that is not negative, unless the file was damaged. A negative number is returned as 0.
    func count(_ column: Int32) -> UInt64 { UInt64(max(number(column), 0)) }

    /// The text of a column. Bytes that are not UTF-8 are replaced.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// A copy of the bytes.
    func bytes(_ column: Int32) -> [UInt8] {
        // SAFETY: SQLite keeps the bytes until the next step, and this function copies them before that step. The
        // function asks for the count after the address, as SQLite demands.
        guard let start = unsafe sqlite3_column_blob(statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}
