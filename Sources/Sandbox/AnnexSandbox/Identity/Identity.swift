internal import Glibc

/// Who an extension is on the host: never root.
package struct Identity: ~Copyable, Sendable {
    package let user: UInt32
    package let group: UInt32
    private let range: IdentityRange?

    init(user: UInt32, group: UInt32, range: IdentityRange?) {
        self.user = user
        self.group = group
        self.range = range
    }

    /// An ordinary user's extension runs as that user: the kernel lets nobody else be mapped.
    package init(ofCaller: Void) {
        user = getuid()
        group = getgid()
        range = nil
    }

    deinit {
        range?.release(user)
    }
}
