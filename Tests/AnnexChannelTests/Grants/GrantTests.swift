import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@testable import AnnexChannel

@Suite(.timeLimit(.minutes(20))) struct GrantTests {
    @Test(arguments: [("/", EISDIR), ("/dev/null", EINVAL), ("/proc", EISDIR), ("/nonexistent", ENOENT)])
    func `FD-02: only a regular file can be granted by path`(_ path: String, _ errno: Int32) {
        let error = #expect(throws: SystemError.self) { _ = try ReadOnlyFile(path: path) }
        #expect(error?.errno == errno)
    }

    @Test func `FD-02: an open directory or pipe cannot be granted`() throws {
        let directory = try Descriptor.open("/", O_RDONLY | O_DIRECTORY)
        #expect(throws: SystemError.self) { _ = try ReadOnlyFile(reopening: directory) }
        let pipe = try DescriptorPair.pipe()
        #expect(throws: SystemError.self) { _ = try ReadOnlyFile(reopening: pipe.first) }
    }

    @Test func `FD-06: a granted file has an offset of its own and cannot be written`() throws {
        let file = try Descriptor.memfd("grant-test", size: 0)
        try file.writeAll(Array("contents".utf8))
        let grant = try ReadOnlyFile(reopening: file).takeDescriptor()
        #expect(try grant.readAll(atMost: 100) == Array("contents".utf8), "it begins at its start")
        #expect(throws: SystemError.self) { try grant.writeAll([1]) }
    }

    @Test func `an extension reads the file that its host granted`() throws {
        let ends = try HostEndpoint.make(configuration: .patient)
        let host = ends.host
        let thread = ExtensionThread(ends.descriptors) { endpoint in
            try endpoint.sayHello()
            try endpoint.serve { (request: consuming IncomingRequest) in
                let file = request.popFirstDescriptor()
                let bytes = try file?.readAll(atMost: 1000) ?? []
                try request.reply(bytes)
            }
        }
        let file = try Descriptor.memfd("grant-test", size: 0)
        try file.writeAll(Array("for you".utf8))
        let request = Request(method: 1, granting: Grants(try ReadOnlyFile(reopening: file)))
        #expect(try host.callAndWait(request, timeout: .patience).payload == Array("for you".utf8))
        host.finish(thread)
    }
}
