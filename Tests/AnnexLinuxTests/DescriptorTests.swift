import AnnexLinux
import Glibc
import Testing

@Suite struct DescriptorTests {
    @Test func aDescriptorIsClosedWhenItsOwnerEnds() throws {
        let number: Int32
        do {
            let pipe = try DescriptorPair.pipe()
            number = pipe.first.number
            #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        }
        #expect(fcntl(number, F_GETFD) == -1)
    }

    @Test func aMissingFileSaysCallErrnoAndPath() {
        #expect(throws: SystemError("open", errno: ENOENT, path: "/no/such/file")) {
            _ = try Descriptor.open("/no/such/file", O_RDONLY)
        }
    }
}
