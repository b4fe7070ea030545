import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite struct DescriptorTests {
    @Test func `a descriptor is closed when its owner ends`() throws {
        // The test counts the descriptor by its name, because another test may get its number a moment later.
        let name = "annex-owned-\(UInt64.random(in: 0 ... .max))"
        do {
            let memory = try Descriptor.memfd(name, size: 0)
            #expect(fcntl(memory.number, F_GETFD) == FD_CLOEXEC)
            #expect(try OpenDescriptors.count(naming: name) == 1)
        }
        #expect(try OpenDescriptors.count(naming: name) == 0)
    }

    @Test func `the error for a missing file has call, errno and path`() {
        #expect(throws: SystemError("open", errno: ENOENT, path: "/no/such/file")) {
            _ = try Descriptor.open("/no/such/file", O_RDONLY)
        }
    }

    @Test func `a foreign descriptor can be owned, lent and released`() throws {
        let other = try Descriptor.memfd("annex-foreign", size: 3)
        let taken = Descriptor(owning: fcntl(other.number, F_DUPFD_CLOEXEC, 3))
        let size = taken.withNumber { number in
            var status = stat()
            return fstat(number, &status) == 0 ? Int(status.st_size) : -1
        }
        #expect(size == 3)
        let number = taken.release()
        #expect(close(number) == 0, "it was this side's to close")
    }
}
