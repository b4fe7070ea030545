internal import CAnnexLinux
internal import Glibc

// Removal of directories whose contents another program chose: the number, depth, names, kinds and permissions of the
// entries.

extension Descriptor {
    /// Removes a part of this directory's contents. The call follows no link and enters no other file system. The names
    /// of the entries need not be UTF-8.
    ///
    /// If a subdirectory contains a directory, the call moves the inner directory up into this directory before it
    /// removes the subdirectory. Deep contents therefore need neither more stack nor more descriptors.
    ///
    /// - Parameter limit: the maximum number of steps. A step removes or moves one entry.
    /// - Returns: whether the directory is empty now. If not, call this method again.
    /// - Throws: `EXDEV` or `EBUSY` if another file system is mounted in the directory.
    package func emptied(atMost limit: Int) throws(SystemError) -> Bool {
        var work = Emptying(top: number, steps: limit)
        return try work.run()
    }

    /// Removes a directory and everything in it.
    package func removeTree(_ name: String) throws(SystemError) {
        let directory = try openBeneath(name, O_RDONLY | O_DIRECTORY)
        while !(try directory.emptied(atMost: .max)) {}
        try removeDirectory(name)
    }

    /// Removes an empty directory.
    package func removeDirectory(_ name: String) throws(SystemError) {
        _ = try SystemError.retrying("unlinkat", path: name) { unsafe unlinkat(number, name, AT_REMOVEDIR) }
    }
}

/// One call of `emptied`.
private struct Emptying {
    let top: Int32
    var steps: Int

    /// A name in the kernel's bytes, with the NUL at its end.
    private typealias Name = [CChar]

    private struct Entry {
        let name: Name
        let isDirectory: Bool
    }

    /// The maximum number of names that are read before their entries are removed.
    private static let portion = 1024

    /// - Returns: whether the directory is empty.
    mutating func run() throws(SystemError) -> Bool {
        while steps > 0 {
            let entries = try Self.entries(of: top)
            if entries.isEmpty { return true }
            for entry in entries {
                guard steps > 0 else { return false }
                if entry.isDirectory { try remove(directory: entry.name) } else { try remove(entry.name, from: top) }
            }
        }
        return try Self.entries(of: top).isEmpty
    }

    /// Removes a directory in the top directory, or as much of its contents as the remaining steps allow.
    private mutating func remove(directory name: Name) throws(SystemError) {
        let directory = try Self.open(name, in: top)
        while true {
            let entries = try Self.entries(of: directory.number)
            if entries.isEmpty { break }
            for entry in entries {
                guard steps > 0 else { return }
                if entry.isDirectory {
                    try raise(entry.name, from: directory.number)
                } else {
                    try remove(entry.name, from: directory.number)
                }
            }
        }
        steps -= 1
        try Self.ignoringAbsence("rmdir", of: name) { unsafe unlinkat(top, name, AT_REMOVEDIR) }
    }

    private mutating func remove(_ name: Name, from directory: Int32) throws(SystemError) {
        steps -= 1
        try Self.ignoringAbsence("unlinkat", of: name) { unsafe unlinkat(directory, name, 0) }
    }

    /// Moves a directory up into the top directory, under a new random name.
    private mutating func raise(_ name: Name, from directory: Int32) throws(SystemError) {
        steps -= 1
        // A process can move a directory to another parent only if the process has the right to write to the directory
        // itself. `open` gives this user that right.
        _ = try Self.open(name, in: directory)
        let free = Name("raised-\(UInt64.random(in: 0 ... .max))".utf8CString)
        try Self.ignoringAbsence("renameat", of: name) { unsafe renameat(directory, name, top, free) }
    }

    // MARK: Calls with names of arbitrary bytes

    private static func entries(of directory: Int32) throws(SystemError) -> [Entry] {
        var error: Int32 = 0
        guard let listing = unsafe annex_listing_open(directory, &error) else {
            throw SystemError("opendir", errno: error)
        }
        // SAFETY: the listing was opened above and is closed once.
        defer { unsafe annex_listing_close(listing) }
        var entries: [Entry] = []
        var mode: UInt32 = 0
        var links: UInt64 = 0
        // SAFETY: the name is valid until the next call, and is copied before that call.
        while entries.count < portion, let name = unsafe annex_listing_next(listing, &mode, &links, &error) {
            let bytes = unsafe Name(UnsafeBufferPointer(start: name, count: strlen(name) + 1))
            entries.append(Entry(name: bytes, isDirectory: mode & S_IFMT == S_IFDIR))
        }
        guard error == 0 else { throw SystemError("readdir", errno: error) }
        return entries
    }

    /// Opens a directory and gives this user every right to the directory. The program that created the directory may
    /// have removed these rights.
    private static func open(_ name: Name, in directory: Int32) throws(SystemError) -> Descriptor {
        let found = unsafe annex_open_directory_within(directory, name)
        return Descriptor(owning: try SystemError.check("openat2", path: shown(name), found))
    }

    /// Makes a system call for a name. It is no error if the entry no longer exists.
    private static func ignoringAbsence(
        _ call: String, of name: Name, _ body: () -> Int32
    ) throws(SystemError) {
        do throws(SystemError) {
            _ = try SystemError.retrying(call, path: shown(name), body)
        } catch {
            guard error.errno == ENOENT else { throw error }
        }
    }

    private static func shown(_ name: Name) -> String {
        Escaped(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)).description
    }
}
