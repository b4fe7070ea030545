import AnnexChannel
import AnnexLinux
import Glibc
import Testing

/// The test counts descriptors, mappings and threads in a separate process, because other tests open and close
/// descriptors at the same time.
@Suite(.timeLimit(.minutes(20))) struct LeakTests {
    @Test func `LIFE-05: thirty channels leave no descriptor, mapping or thread`() async {
        await #expect(processExitsWith: .success) {
            try await Holdings.areLeft(after: 30) { _ in try LeakTests.oneChannel() }
        }
    }

    private static func oneChannel() throws {
        let loop = try EventLoop()
        do {
            let ends = try HostEndpoint.make(configuration: .patient, eventLoop: loop)
            let host = ends.host
            let thread = ExtensionThread(ends.descriptors) { endpoint in
                try endpoint.sayHello()
                try endpoint.serve { request in
                    var request = request
                    let taken = request.popFirstDescriptor()
                    try request.reply([taken == nil ? 0 : 1], sealed: SealedPieces(try SealedMemory(copying: [1])))
                }
            }
            let file = DescriptorList(try Descriptor.memfd("annex-leak", size: 1))
            let reply = try host.callAndWait(
                Request(method: 1, descriptors: file, accepts: DescriptorAllowance(pieces: 1, bytes: 10)))
            #expect(reply.sealed.count == 1)
            host.finish(thread)
        }
        loop.shutDown()
    }
}
