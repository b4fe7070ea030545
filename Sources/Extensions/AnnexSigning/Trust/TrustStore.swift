package import AnnexLinux
internal import Glibc
internal import Synchronization

/// Keeps a user's trust in teams: in memory only, or also in a file that remains when the program ends.
package final class TrustStore: Sendable {
    private let file: TrustFile?
    private let state: Mutex<TeamTrust>

    /// Creates a store in memory, which exists only as long as this object.
    package init(_ trust: TeamTrust = TeamTrust()) {
        file = nil
        state = Mutex(trust)
    }

    /// Opens the store in a folder. If the folder has no file of trust, the store trusts no team yet.
    /// - Parameter place: the folder's path, for errors.
    /// - Throws: an error if the file cannot be read. The user's trust is then unknown, so no app may be installed.
    package init(in folder: consuming Descriptor, place: String) throws(SigningError) {
        let file = TrustFile(in: folder, place: "\(Escaped(place))/\(TrustFile.name)")
        state = Mutex(try file.read())
        self.file = file
    }

    /// The trust as it is now.
    package var trust: TeamTrust { state.withLock { $0 } }

    /// Changes the trust. If the store has a file, this function writes the file before it changes the trust in
    /// memory. If the writing fails, the trust stays as it was.
    package func change(_ body: (inout TeamTrust) throws(SigningError) -> Void) throws(SigningError) {
        try state.withLock { (trust) throws(SigningError) in
            var next = trust
            try body(&next)
            guard next != trust else { return }
            try file?.write(next)
            trust = next
        }
    }
}

/// The file of a user's trust. It is always replaced as a whole. So after a kill, the file holds either the old trust
/// or the new trust.
package final class TrustFile: Sendable {
    private let folder: Descriptor
    private let place: String

    /// `name` is the file's name in its folder. A new file is written under the name `draft`, and then renamed to
    /// `name`.
    package static let name = "trust"
    package static let draft = "trust.new"

    init(in folder: consuming Descriptor, place: String) {
        self.folder = folder
        self.place = place
    }

    func read() throws(SigningError) -> TeamTrust {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try folder.openBeneath(Self.name, O_RDONLY | O_NONBLOCK).readAll(atMost: TeamTrust.mostBytes)
        } catch {
            if error.errno == ENOENT { return TeamTrust() }
            throw SigningError(error, place: place)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TeamTrust.damaged(place, what: "is not text")
        }
        return try TeamTrust(text: text, place: place)
    }

    func write(_ trust: TeamTrust) throws(SigningError) {
        do throws(SystemError) {
            try folder.replace(Self.name, with: Array(trust.text.utf8), draft: Self.draft)
        } catch {
            throw SigningError(error, place: place)
        }
    }
}
