import Testing

@testable import AnnexLaunch

@Suite struct MountTableTests {
    private static let table = MountTable(
        """
        22 1 254:0 / / rw - ext4 /dev/vda rw
        30 22 254:0 /home/me/real /mnt/second rw - ext4 /dev/vda rw
        31 22 0:40 / /home/me/ram rw - tmpfs none rw
        32 22 0:41 / /home/me/ram rw - tmpfs none rw
        33 22 254:0 /with\\040space /home/me/x rw - ext4 /dev/vda rw
        34 22 0:42 / /srv/old rw - ext4 /dev/vdb rw,grpid,discard
        """)

    private func second(_ path: String, seenFrom other: String) -> String? {
        guard let files = Self.table.view(of: Array(path.utf8)), let view = Self.table.view(of: Array(other.utf8))
        else {
            return nil
        }
        return view.path(showing: files).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("/home/me/real/a", "/mnt/second", "/mnt/second/a"), ("/home/me/real", "/mnt/second", "/mnt/second"),
        ("/home/me", "/mnt/second", "/mnt/second"), ("/mnt/second/a", "/home/me/real", "/home/me/real/a"),
        ("/mnt/second/a", "/home", "/home/me/real/a"), ("/mnt/second", "/", "/home/me/real"),
        ("/home/me/other", "/mnt/second", nil), ("/home/me/real2", "/mnt/second", nil),
        ("/home/me/ram/a", "/home/me", nil), ("/home/me/x/a", "/with space", "/with space/a"),
        ("/home/me/real/a", "/mnt/second/a", "/mnt/second/a"), ("/home/me/real/b", "/mnt/second/a", nil),
    ])
    func `files that two mounts show have two paths`(path: String, other: String, second: String?) {
        #expect(self.second(path, seenFrom: other) == second)
    }

    @Test func `a later mount hides an earlier one at the same path`() {
        #expect(Self.table.mount(showing: Array("/home/me/ram/a".utf8))?.device == "0:41")
        #expect(Self.table.mount(showing: Array("/home/me/rams".utf8))?.device == "254:0")
    }

    @Test(arguments: [
        ("/srv/old", true), ("/srv/old/a", true), ("/srv", true), ("/", true), ("/srv/older", false),
        ("/home/me", false),
    ])
    func `FS-33: a file system that gives files the group of their directory is known`(path: String, isKnown: Bool) {
        #expect(Self.table.givesDirectoryGroup(within: Array(path.utf8)) == isKnown)
    }

    @Test func `the views in a directory are the directory and the mount points below it`() {
        let points = Self.table.views(within: Array("/home/me".utf8)).map { String(decoding: $0.point, as: UTF8.self) }
        #expect(points.sorted() == ["/home/me", "/home/me/ram", "/home/me/x"])
    }
}

extension MountTable {
    init(_ mountinfo: String) { self.init(Array(mountinfo.utf8)) }
}
