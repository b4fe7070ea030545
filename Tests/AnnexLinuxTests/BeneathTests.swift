import AnnexLinux
import Glibc
import Testing

@Suite struct BeneathTests {
    @Test func `FS-11: no link and no file outside the directory is opened`() throws {
        var template = Array("/tmp/annex-beneath-XXXXXX".utf8CString)
        let path = String(cString: mkdtemp(&template))
        defer { rmdir(path) }
        let directory = try Descriptor.directory(path)
        _ = try directory.openBeneath("inside", O_CREAT | O_WRONLY, mode: 0o600)
        symlink("/etc/passwd", "\(path)/link")
        defer {
            unlink("\(path)/link")
            unlink("\(path)/inside")
        }
        #expect(try directory.openBeneath("inside", O_RDONLY).status().kind == .regular)
        for (wrong, errno) in [("../x", EXDEV), ("/etc/passwd", EXDEV), ("link", ELOOP)] {
            #expect(throws: SystemError("openat2", errno: errno, path: wrong)) {
                _ = try directory.openBeneath(wrong, O_RDONLY)
            }
        }
    }
}
