internal import AnnexPolicy

/// The text of the files of `etc: minimal`. It names the program's own user and the sandbox's own name, and nothing of
/// the host. It also names `root`, because system files belong to `root`.
struct EtcText {
    let user: UInt32
    let group: UInt32
    let home: String
    let host: String

    func contents(of file: EtcFile) -> String {
        switch file {
        case .passwd:
            "root:x:0:0:root:/:/bin/false\n" + (user == 0 ? "" : "nobody:x:\(user):\(group):nobody:\(home):/bin/sh\n")
        case .group: "root:x:0:\n" + (group == 0 ? "" : "nogroup:x:\(group):\n")
        case .hosts: "127.0.0.1 localhost \(host)\n::1 localhost \(host)\n"
        case .nsswitch:
            "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n"
        }
    }
}
