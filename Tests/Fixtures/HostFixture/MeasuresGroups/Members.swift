import AnnexGroups
import AnnexLinux
import AnnexPortal
import AnnexPortalServer
import Glibc

let key = GroupKey(team: String(repeating: "ab", count: 32), identifier: "group.com.example.measured")

/// A member that serves itself, as a containing app does.
func member(_ folder: String) throws -> AppGroup {
    chmod(folder, 0o700)
    let portal = try LocalPortal.open("measures-groups", groups: [key], in: folder)
    return AppGroup(try JoinedGroup.join(key.identifier, through: portal))
}

/// Prints a byte for each change of an item.
func hear(of path: String, in group: AppGroup) async throws {
    final class Ear: FilePresenter {
        let presentedItemPath: String

        init(_ path: String) { presentedItemPath = path }

        func presentedItemDidChange() async { tell() }
    }
    let ear = Ear(path)
    try FileCoordinator.addFilePresenter(ear, in: group)
    tell()
    while true { try await Task.sleep(for: .seconds(3600)) }
}

/// Prints a byte for each change of the defaults.
func watch(_ group: AppGroup) async throws {
    let changes = SharedDefaults(group).changes()
    tell()
    for await _ in changes { tell() }
}

/// Answers each byte with a byte.
func echo() {
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) == 1 { tell() }
}

private func tell() {
    var byte: UInt8 = 1
    write(STDOUT_FILENO, &byte, 1)
}
