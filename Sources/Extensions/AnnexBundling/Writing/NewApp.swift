internal import AnnexLinux
internal import Glibc

/// The place of a new app. The app is first written under another name beside its place. When the app is complete, it
/// is renamed. If the program is killed, the place holds either the old app or the new app.
struct NewApp: ~Copyable {
    private let parent: Descriptor
    private let path: String
    private let name: String
    private let draft: String
    private let replaces: Bool

    /// - Parameters:
    ///   - path: the new app's directory, `Name.app`. The directory that contains this directory must exist.
    ///   - replaces: whether the new app replaces an existing app.
    init(at path: String, replaces: Bool) throws(BundlingError) {
        let parts = path.split(separator: "/")
        guard let name = parts.last.map(String.init), name.hasSuffix(".app"), name.utf8.count > 4 else {
            throw BundlingError(.place, place: path, what: "is not called Name.app", remedy: "choose another name")
        }
        parent = try Self.folder(around: path, name: name)
        self.path = path
        self.name = name
        self.replaces = replaces
        draft = ".\(name).annex-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    }

    private static func folder(around path: String, name: String) throws(BundlingError) -> Descriptor {
        let folder = String(path.dropLast(path.hasSuffix("/") ? 1 : 0).dropLast(name.count))
        do throws(SystemError) {
            return try Descriptor.directory(folder.isEmpty ? "." : folder)
        } catch {
            throw BundlingError(error, place: path, code: .place)
        }
    }

    /// Throws if the place holds a file or folder that must not be replaced.
    func checkPlace() throws(BundlingError) {
        let there: Descriptor
        do throws(SystemError) {
            there = try parent.openBeneath(name, Descriptor.pathOnly)
        } catch {
            if error.errno == ENOENT { return }
            throw BundlingError(error, place: path, code: .place)
        }
        guard replaces else {
            throw BundlingError(
                .place, place: path, what: "exists already", remedy: "remove it, choose another name, or add --force")
        }
        // Only an app may be replaced. So a folder that was named by mistake is safe.
        do throws(SystemError) {
            _ = try there.openBeneath("Info.plist", Descriptor.pathOnly)
        } catch {
            throw BundlingError(
                .place, place: path, what: "exists already and is no app", remedy: "remove it, or choose another name")
        }
    }

    /// Calls `body` with an empty directory, and then moves that directory to the app's place.
    func write(_ body: (borrowing Descriptor) throws(BundlingError) -> Void) throws(BundlingError) {
        let directory = try makeDraft()
        do throws(BundlingError) {
            try body(directory)
            try place()
        } catch {
            try? parent.removeTree(draft)
            throw error
        }
    }

    private func makeDraft() throws(BundlingError) -> Descriptor {
        do throws(SystemError) {
            try parent.makeDirectory(draft, mode: 0o755)
            return try parent.openBeneath(draft, O_RDONLY | O_DIRECTORY)
        } catch {
            throw BundlingError(error, place: path)
        }
    }

    private func place() throws(BundlingError) {
        do throws(SystemError) {
            try parent.rename(draft, toNew: name)
        } catch {
            if error.errno == EEXIST, replaces { return try replace() }
            guard error.errno == EINVAL || error.errno == ENOSYS else { throw BundlingError(error, place: path) }
            // This file system cannot make a rename fail if the name is taken. So an ordinary rename is used. A check
            // a moment ago found the place free.
            do throws(SystemError) { try parent.rename(draft, to: name) } catch {
                throw BundlingError(error, place: path)
            }
        }
    }

    private func replace() throws(BundlingError) {
        do throws(SystemError) {
            try parent.exchange(draft, with: name)
            try parent.removeTree(draft)
        } catch {
            throw BundlingError(error, place: path)
        }
    }
}
