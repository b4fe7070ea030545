internal import AnnexPolicy

/// The text of the files of `etc: minimal`. It names the program's own user and the sandbox's own name, and nothing
/// else of the host. It also names `root`, because system files belong to `root`, and `nobody`, to whom the kernel
/// gives the files of all other users.
struct EtcText {
    private let own: OwnNumbers
    private let account: AccountNames
    private let home: String
    private let host: String

    /// - Parameters:
    ///   - account: the names of the caller; nil if the program does not have the caller's numbers.
    ///   - home: the value of HOME. A program must find the same directory in both places.
    init(_ account: AccountNames?, own: OwnNumbers, home: [UInt8], host: String) {
        self.own = own
        self.account = account ?? .unknown(own)
        self.home = Self.field(home)
        self.host = host
    }

    /// The longest field. The file is a part of the plan, and a text of the plan has at most 4,095 bytes.
    private static let longest = 2048

    /// A text that a field of `/etc/passwd` can hold.
    private static func field(_ bytes: [UInt8]) -> String {
        guard bytes.count <= longest else { return "/" }
        let isPlain = !bytes.contains(UInt8(ascii: ":")) && !bytes.contains { $0 < 0x20 }
        return isPlain ? String(validating: bytes, as: UTF8.self) ?? "/" : "/"
    }

    func contents(of file: EtcFile) -> String {
        switch file {
        case .passwd: users
        case .group: groups
        case .hosts: "127.0.0.1 localhost \(host)\n::1 localhost \(host)\n"
        case .nsswitch:
            "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n"
        // No name is completed here, because this machine completes it when it resolves it.
        case .resolver: "nameserver 127.0.0.1\noptions ndots:0\n"
        }
    }

    private var users: String {
        let hidden = OwnNumbers.hidden
        let line = "\(account.user):x:\(own.user):\(own.group):\(account.user):\(home):/bin/sh\n"
        return (own.user == 0 ? "" : "root:x:0:0:root:/:/bin/false\n") + line
            + (own.user == hidden.user ? "" : "nobody:x:\(hidden.user):\(hidden.group):nobody:/:/bin/false\n")
    }

    private var groups: String {
        let hidden = OwnNumbers.hidden
        return (own.group == 0 ? "" : "root:x:0:\n") + "\(account.group):x:\(own.group):\n"
            + (own.group == hidden.group ? "" : "nogroup:x:\(hidden.group):\n")
    }
}
