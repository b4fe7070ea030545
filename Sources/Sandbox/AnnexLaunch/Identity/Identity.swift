internal import Glibc

/// The user and group of an extension on the host: never root.
package struct Identity: ~Copyable, Sendable {
    package let user: UInt32
    package let group: UInt32
    private let range: IdentityRange?

    init(user: UInt32, group: UInt32, range: IdentityRange?) {
        self.user = user
        self.group = group
        self.range = range
    }

    /// The calling user. An ordinary user's extension runs as that user, because the kernel lets no other user be
    /// mapped.
    package init(ofCaller: Void) {
        user = getuid()
        group = getgid()
        range = nil
    }

    deinit {
        range?.release(user)
    }
}
