package import AnnexLinux

/// The named pasteboards of a group. A power failure may lose the last changes, but no earlier ones.
///
/// Each call first removes all contents that have expired by the wall clock. If the clock is set back, contents stay
/// longer.
extension GroupStore {
    /// Replaces the contents of a board.
    /// - Parameters:
    ///   - writer: the process that writes. The text is for people to read.
    ///   - expiry: the time when the contents expire; nil if they never expire.
    /// - Returns: the board's new change count.
    /// - Throws: `full` if the contents are too large, or if too many boards have contents; the call then changes
    ///   nothing.
    package func setBoard(
        _ name: String = PasteboardLimits.generalName, to items: [BoardItem], by writer: String,
        until expiry: WallClock? = nil, now: WallClock = .now()
    ) throws(StoreError) -> UInt64 {
        try Self.check(name)
        try StoreBounds.check(writer, named: "the writer", within: 0...PasteboardLimits.writerBytes)
        try Self.check(items)
        return try changeBoards(now: now) { (database) throws(StoreError) in
            try Self.makeRoom(for: name, in: &database)
            try database.run("DELETE FROM representation WHERE board = ?1", with: [.text(name)])
            for (number, item) in items.enumerated() {
                try Self.insert(item, at: number, on: name, in: &database)
            }
            return try Self.count(
                name, by: writer, until: items.isEmpty ? nil : expiry, isFilled: !items.isEmpty,
                in: &database)
        }
    }

    /// Removes the contents of a board.
    /// - Returns: the board's new change count.
    package func clearBoard(
        _ name: String = PasteboardLimits.generalName, now: WallClock = .now()
    ) throws(StoreError) -> UInt64 {
        try setBoard(name, to: [], by: "", now: now)
    }

    /// The contents of a board, without their bytes. A board that was never set is empty.
    package func board(
        _ name: String = PasteboardLimits.generalName, now: WallClock = .now()
    ) throws(StoreError) -> BoardSummary {
        try Self.check(name)
        return try readBoards(now: now) { (database) throws(StoreError) in
            try Self.summary(of: name, in: &database, now: now)
        }
    }

    /// One representation of an item.
    /// - Parameter item: the number of the item. The first item has number 0.
    package func representation(
        _ type: String, ofItem item: Int = 0, on name: String = PasteboardLimits.generalName,
        now: WallClock = .now()
    ) throws(StoreError) -> BoardRead {
        try Self.check(name)
        return try readBoards(now: now) { (database) throws(StoreError) in
            let head = try Self.head(of: name, in: &database, now: now)
            guard head.isFilled else { return BoardRead(changeCount: head.count, bytes: nil) }
            var bytes: [UInt8]?
            try database.run(
                "SELECT bytes FROM representation WHERE board = ?1 AND item = ?2 AND type = ?3",
                with: [.text(name), .number(Int64(item)), .text(type)]
            ) { row in bytes = row.bytes(0) }
            return BoardRead(changeCount: head.count, bytes: bytes)
        }
    }

    // MARK: Reading

    private struct Head {
        var count: UInt64 = 0
        var writer = ""
        var isFilled = false
        var expiry: WallClock?
    }

    /// Once the contents of a board have expired, the board counts as empty, even if the contents could not be
    /// removed yet.
    private static func head(
        of name: String, in database: inout Database, now: WallClock
    ) throws(StoreError) -> Head {
        var head = Head()
        try database.run(
            "SELECT count, writer, filled, expires FROM board WHERE name = ?1", with: [.text(name)]
        ) { row in
            head = Head(
                count: row.count(0), writer: row.text(1), isFilled: row.number(2) != 0,
                expiry: row.isNull(3) ? nil : WallClock(microseconds: row.number(3)))
        }
        if let expiry = head.expiry, expiry <= now { return Head(count: head.count) }
        return head
    }

    private static func summary(
        of name: String, in database: inout Database, now: WallClock
    ) throws(StoreError) -> BoardSummary {
        let head = try head(of: name, in: &database, now: now)
        var types: [[String]] = []
        if head.isFilled {
            var last: Int64 = -1
            try database.run(
                "SELECT item, type FROM representation WHERE board = ?1 ORDER BY item, row",
                with: [.text(name)]
            ) { row in
                if row.number(0) != last { types.append([]) }
                last = row.number(0)
                types[types.count - 1].append(row.text(1))
            }
        }
        return BoardSummary(
            changeCount: head.count, writer: head.writer, expiry: head.expiry, types: types)
    }

    /// Removes the contents that have expired, and then runs reads. If nothing has expired, nothing is written.
    private func readBoards<Result: Sendable>(
        now: WallClock, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try use { (database) throws(StoreError) in
            let expired = try database.number(
                "SELECT count(*) FROM board WHERE filled AND expires <= ?1",
                with: [.number(now.microseconds)])
            if expired != 0 {
                try database.transaction(as: .atomic) { (database) throws(StoreError) in
                    try Self.removeExpired(in: &database, now: now)
                }
            }
            return try database.reading(body)
        }
    }

    // MARK: Writing

    private func changeBoards<Result: Sendable>(
        now: WallClock, _ body: (inout Database) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try transact(as: .atomic) { (database) throws(StoreError) in
            try Self.removeExpired(in: &database, now: now)
            return try body(&database)
        }
    }

    private static func removeExpired(in database: inout Database, now: WallClock) throws(StoreError) {
        var names: [String] = []
        try database.run(
            "SELECT name FROM board WHERE filled AND expires <= ?1", with: [.number(now.microseconds)]
        ) { row in names.append(row.text(0)) }
        for name in names {
            try database.run("DELETE FROM representation WHERE board = ?1", with: [.text(name)])
            _ = try count(name, by: "", until: nil, isFilled: false, in: &database)
        }
    }

    /// Makes sure that the board may be written. If there are too many boards, the empty boards that were changed
    /// longest ago are forgotten.
    private static func makeRoom(for name: String, in database: inout Database) throws(StoreError) {
        let most = Int64(PasteboardLimits.boards)
        let others = try database.number(
            "SELECT count(*) FROM board WHERE filled AND name <> ?1", with: [.text(name)])
        guard others ?? 0 < most else {
            throw StoreError(
                .full, what: "\(most) other pasteboards have contents",
                remedy: "clear one, or let contents expire")
        }
        try database.run(
            """
            DELETE FROM board WHERE NOT filled AND name <> ?1 AND name NOT IN
                (SELECT name FROM board WHERE name <> ?1 ORDER BY filled DESC, count DESC LIMIT ?2)
            """, with: [.text(name), .number(most)])
    }

    private static func insert(
        _ item: BoardItem, at number: Int, on name: String, in database: inout Database
    ) throws(StoreError) {
        for representation in item.representations {
            try database.run(
                "INSERT INTO representation (board, item, type, bytes) VALUES (?1, ?2, ?3, ?4)",
                with: [
                    .text(name), .number(Int64(number)), .text(representation.type),
                    .bytes(representation.bytes),
                ])
        }
    }

    /// Records that a board has changed. All boards of the group share one counter, so that the same change count is
    /// never used twice.
    private static func count(
        _ name: String, by writer: String, until expiry: WallClock?, isFilled: Bool,
        in database: inout Database
    ) throws(StoreError) -> UInt64 {
        let count =
            try database.number(
                "UPDATE state SET number = number + 1 WHERE name = 'boards' RETURNING number") ?? 0
        try database.run(
            """
            INSERT INTO board (name, count, writer, filled, expires) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (name)
                DO UPDATE SET count = ?2, writer = ?3, filled = ?4, expires = ?5
            """,
            with: [
                .text(name), .number(count), .text(writer), .number(isFilled ? 1 : 0),
                expiry.map { .number($0.microseconds) } ?? .null,
            ])
        return UInt64(max(count, 0))
    }

    // MARK: Bounds

    private static func check(_ name: String) throws(StoreError) {
        try StoreBounds.check(name, named: "the name of a pasteboard", within: 1...PasteboardLimits.nameBytes)
    }

    private static func check(_ items: [BoardItem]) throws(StoreError) {
        var bytes = 0
        var count = 0
        for item in items {
            try check(item)
            count += item.representations.count
            for one in item.representations { bytes += one.type.utf8.count + one.bytes.count }
        }
        guard bytes <= PasteboardLimits.bytes, count <= PasteboardLimits.representations else {
            throw StoreError(
                .full, what: "the contents have \(count) representations and \(bytes) bytes",
                remedy: """
                    put larger contents into a file of the container: a pasteboard has at most \
                    \(PasteboardLimits.representations) representations and \(PasteboardLimits.bytes) bytes
                    """)
        }
    }

    private static func check(_ item: BoardItem) throws(StoreError) {
        var types: Set<[UInt8]> = []
        for one in item.representations {
            try StoreBounds.check(one.type, named: "a type", within: 1...PasteboardLimits.typeBytes)
            guard types.insert(Array(one.type.utf8)).inserted else {
                throw StoreError(
                    .invalid, what: "an item has one type twice", remedy: "give each type once")
            }
        }
        guard !types.isEmpty else {
            throw StoreError(
                .invalid, what: "an item has no representation", remedy: "give it at least one")
        }
    }
}
