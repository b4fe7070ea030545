internal import AnnexLinux
internal import Glibc

/// Keys in files of exactly 32 bytes.
enum KeyFile {
    /// The name of the key's file. The file is in the folder of private directories, beside the folder of groups.
    static let name = "secrets.key"
    private static let credentialName = "annex.secrets"

    /// The key in a folder of systemd's credentials; nil if the folder has no key for Annex. The file's owner and
    /// mode are not checked, because systemd has set them.
    static func credential(in folder: String) throws(StoreError) -> KeyMemory? {
        let path = "\(folder)/\(credentialName)"
        let opened = try reporting(path) { () throws(SystemError) in
            try unlessMissing { () throws(SystemError) in
                try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            }
        }
        guard let file = opened else { return nil }
        return try read(file, at: path)
    }

    /// The key in the user's own file. If the file is missing, the call makes it.
    static func own(in privates: String) throws(StoreError) -> KeyMemory {
        let path = "\(privates)/\(name)"
        let folder = try reporting(path) { () throws(SystemError) in
            let folder = try Descriptor.directory(privates)
            try folder.checkOwn(privates)
            return folder
        }
        if let key = try existing(in: folder, at: path) { return key }
        let key = try KeyMemory.random()
        let isMade = try reporting(path) { () throws(SystemError) in try make(key, in: folder) }
        if isMade { return key }
        // Another process was faster, so the key of that process is the user's key.
        if let other = try existing(in: folder, at: path) { return other }
        throw StoreError(.noKey, what: "\(name) was made and removed at the same time", place: path)
    }

    // MARK: Checks

    private static func existing(
        in folder: borrowing Descriptor, at path: String
    ) throws(StoreError) -> KeyMemory? {
        let opened = try reporting(path) { () throws(SystemError) in
            try unlessMissing { () throws(SystemError) in
                try folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            }
        }
        guard let file = opened else { return nil }
        try check(try reporting(path) { () throws(SystemError) in try file.status() }, at: path)
        return try read(file, at: path)
    }

    private static func check(_ status: FileStatus, at path: String) throws(StoreError) {
        guard status.kind == .regular else { throw refusal("is no ordinary file", at: path, remedy: "move it away") }
        guard status.user == geteuid() else {
            throw refusal("belongs to uid \(status.user)", at: path, remedy: "use Annex as that user")
        }
        guard status.mode == 0o600 else {
            throw refusal(
                "has mode \(String(status.mode, radix: 8))", at: path,
                remedy: """
                    set it: chmod 600 \(name); if other users may have read the key, remove the file and set all \
                    secrets again
                    """)
        }
    }

    private static func refusal(_ what: String, at path: String, remedy: String) -> StoreError {
        StoreError(.unsafe, what: "the key of the secrets, \(name), \(what)", place: path, remedy: remedy)
    }

    private static func unlessMissing(
        _ open: () throws(SystemError) -> Descriptor
    ) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try open()
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }

    private static func reporting<Result: ~Copyable>(
        _ path: String, call body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            let isFull = [ENOSPC, EDQUOT].contains(error.errno)
            throw StoreError(
                isFull ? .full : .noKey,
                what: "the file with the key of the secrets: \(error.call): \(Errno.name(error.errno))", place: path,
                remedy: error.remedy ?? (isFull ? "free space on this disk" : "give this user the right to use it"))
        }
    }

    // MARK: Bytes

    /// Writes a key into a new file with the name `name`. If the process is killed, the folder has either the whole
    /// file or no file of this name.
    /// - Returns: false if there already is a file of this name.
    private static func make(
        _ key: borrowing KeyMemory, in folder: borrowing Descriptor
    ) throws(SystemError) -> Bool {
        do throws(SystemError) {
            // SAFETY: the key outlives the call.
            try unsafe folder.createNew(name, with: key.buffer)
        } catch {
            guard error.errno == EEXIST else { throw error }
            return false
        }
        return true
    }

    /// Reads a key from a file directly into a `KeyMemory`, so that no other copy of the key remains in memory.
    private static func read(
        _ file: borrowing Descriptor, at path: String
    ) throws(StoreError) -> KeyMemory {
        let status = try reporting(path) { () throws(SystemError) in try file.status() }
        return try unsafe KeyMemory.filled { (room) throws(StoreError) in
            // SAFETY: the call writes at most the room's bytes. The key is refused unless the whole room is filled.
            let count = try? unsafe file.fill(room, from: 0)
            guard status.kind == .regular, status.size == room.count, count == room.count else {
                throw StoreError(
                    .noKey, what: "the file with the key of the secrets has \(status.size) bytes, not \(room.count)",
                    place: path, remedy: "restore the file from a copy")
            }
        }
    }
}
