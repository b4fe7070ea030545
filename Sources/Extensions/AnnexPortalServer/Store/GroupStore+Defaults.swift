package import AnnexPortal

/// The shared defaults of a group at one moment.
package struct StoredDefaults: Sendable, Hashable {
    /// This number grows with each change. If two snapshots have the same number, their values are the same.
    package let generation: UInt64
    /// The entries, sorted by the bytes of their keys.
    package let entries: [DefaultsEntry]
}

/// The shared defaults. After a call that changes them has returned, the change survives a power failure.
extension GroupStore {
    /// The number of the last change of the defaults.
    package func generation() throws(StoreError) -> UInt64 {
        try use { (database) throws(StoreError) in try Self.generation(in: &database) }
    }

    /// All defaults with the number of their last change.
    package func snapshot() throws(StoreError) -> StoredDefaults {
        try use { (database) throws(StoreError) in
            try database.reading { (database) throws(StoreError) in
                StoredDefaults(
                    generation: try Self.generation(in: &database), entries: try Self.entries(in: &database))
            }
        }
    }

    /// Sets and removes keys together, in the order of the entries.
    ///
    /// If the change leaves every value as it is, nothing is written and the generation stays.
    /// - Parameter generation: the change is made only if this is still the current generation. If the parameter is
    ///   nil, the change is always made.
    /// - Returns: the generation after the change.
    /// - Throws: `invalid` if a key is empty or too long; `full` if the defaults would exceed their limits; `changed`
    ///   if there was another change meanwhile. In each of these cases nothing is changed.
    package func change(
        _ entries: [DefaultsEntry], ifStill generation: UInt64? = nil
    ) throws(StoreError) -> UInt64 {
        for entry in entries { try Self.check(entry) }
        return try transact(as: .durable) { (database) throws(StoreError) in
            if let generation, try Self.generation(in: &database) != generation {
                throw StoreError(.changed, what: "the defaults have changed", remedy: "read them again")
            }
            var growth = Growth()
            for entry in entries { try Self.apply(entry, to: &database, growing: &growth) }
            guard growth.isChange else { return try Self.generation(in: &database) }
            try Self.keep(growth, in: &database)
            return try Self.generation(in: &database)
        }
    }

    /// What a change adds to the total numbers of keys and bytes. The store keeps these totals beside the values, so
    /// that a change does not have to read all values.
    private struct Growth {
        var isChange = false
        var keys = 0
        var bytes = 0
    }

    private static func generation(in database: inout Database) throws(StoreError) -> UInt64 {
        UInt64(max(try database.number("SELECT number FROM state WHERE name = 'defaults'") ?? 0, 0))
    }

    private static func entries(in database: inout Database) throws(StoreError) -> [DefaultsEntry] {
        var entries: [DefaultsEntry] = []
        try database.run("SELECT key, value FROM defaults ORDER BY key") { row in
            entries.append(DefaultsEntry(key: row.text(0), value: row.bytes(1)))
        }
        return entries
    }

    private static func check(_ entry: DefaultsEntry) throws(StoreError) {
        try StoreBounds.check(entry.key, named: "a key", within: 1...DefaultsLimits.keyBytes)
        guard let value = entry.value, value.count > DefaultsLimits.valueBytes else { return }
        throw StoreError(
            .full, what: "a value has \(value.count) bytes",
            remedy:
                "keep it in a file of the container: a value has at most \(DefaultsLimits.valueBytes) bytes"
        )
    }

    private static func apply(
        _ entry: DefaultsEntry, to database: inout Database, growing growth: inout Growth
    ) throws(StoreError) {
        var old: [UInt8]?
        try database.run("SELECT value FROM defaults WHERE key = ?1", with: [.text(entry.key)]) { row in
            old = row.bytes(0)
        }
        guard old != entry.value else { return }
        growth.isChange = true
        growth.keys += (entry.value == nil ? 0 : 1) - (old == nil ? 0 : 1)
        growth.bytes += size(entry.key, with: entry.value) - size(entry.key, with: old)
        try put(entry, into: &database)
    }

    private static func size(_ key: String, with value: [UInt8]?) -> Int {
        value.map { key.utf8.count + $0.count } ?? 0
    }

    private static func put(_ entry: DefaultsEntry, into database: inout Database) throws(StoreError) {
        guard let value = entry.value else {
            return try database.run("DELETE FROM defaults WHERE key = ?1", with: [.text(entry.key)])
        }
        try database.run(
            "INSERT INTO defaults VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            with: [.text(entry.key), .bytes(value)])
    }

    private static func keep(_ growth: Growth, in database: inout Database) throws(StoreError) {
        try database.run("UPDATE state SET number = number + 1 WHERE name = 'defaults'")
        let keys = try added(growth.keys, to: "defaults-keys", in: &database)
        let bytes = try added(growth.bytes, to: "defaults-bytes", in: &database)
        let isLarger = growth.keys > 0 || growth.bytes > 0
        guard isLarger, keys > DefaultsLimits.keys || bytes > DefaultsLimits.bytes else { return }
        throw StoreError(
            .full, what: "the defaults of the group would have \(keys) keys and \(bytes) bytes",
            remedy:
                "remove values: \(DefaultsLimits.keys) keys and \(DefaultsLimits.bytes) bytes are allowed")
    }

    private static func added(
        _ growth: Int, to name: String, in database: inout Database
    ) throws(StoreError) -> Int64 {
        try database.number(
            "UPDATE state SET number = number + ?1 WHERE name = ?2 RETURNING number",
            with: [.number(Int64(growth)), .text(name)]) ?? 0
    }
}
