extension StoreSchema {
    /// The book of one user's background sessions and their tasks.
    static let transfers = StoreSchema(
        application: 0x416E_5478,  // "AnTx"
        version: 1, kind: "book of transfers",
        // An answer has at most 80 KiB. If no page is left for it, the outcome is stored without its body.
        mostPages: 64 << 10,
        tables: [
            // The number of a removed row is never used again, so that no late news of an earlier task meets a new one.
            """
            CREATE TABLE session (
                number INTEGER PRIMARY KEY AUTOINCREMENT, team TEXT NOT NULL, grp TEXT NOT NULL,
                identifier TEXT NOT NULL, app TEXT NOT NULL, seconds INTEGER NOT NULL, discretionary INTEGER NOT NULL,
                woken INTEGER NOT NULL, UNIQUE (team, grp, identifier)
            ) STRICT
            """,
            // The column `failure` is that of the task if it has ended, and otherwise that of the last attempt.
            """
            CREATE TABLE task (
                number INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER NOT NULL, state INTEGER NOT NULL,
                member TEXT NOT NULL, job BLOB NOT NULL, files BLOB NOT NULL, attempt INTEGER NOT NULL,
                failures INTEGER NOT NULL, due INTEGER NOT NULL, expires INTEGER NOT NULL, boot TEXT NOT NULL,
                validator BLOB, sent INTEGER NOT NULL, received INTEGER NOT NULL, expected INTEGER,
                failure TEXT, answer BLOB, promised INTEGER NOT NULL, needed INTEGER NOT NULL,
                download INTEGER NOT NULL, discretionary INTEGER NOT NULL
            ) STRICT
            """,
            "CREATE INDEX task_session ON task (session)",
            "CREATE INDEX task_state ON task (state, due)",
            """
            CREATE TABLE receipt (
                token TEXT PRIMARY KEY, task INTEGER NOT NULL, app TEXT NOT NULL, expires INTEGER NOT NULL,
                outcome TEXT, sent INTEGER, received INTEGER, expected INTEGER
            ) STRICT, WITHOUT ROWID
            """,
            "CREATE INDEX receipt_task ON receipt (task)",
            "CREATE INDEX receipt_app ON receipt (app)",
            "CREATE INDEX receipt_end ON receipt (expires)",
        ])
}
