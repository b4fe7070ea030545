import AnnexChannel
import AnnexLinux
import Glibc
import Testing

/// Counted in a process of its own, because other tests open and close at the same time.
@Suite(.timeLimit(.minutes(5))) struct LeakTests {
    @Test("LIFE-05: thirty channels leave no descriptor, mapping or thread")
    func channels() async {
        await #expect(processExitsWith: .success) {
            try LeakTests.oneChannel()
            let before = try LeakTests.held()
            for _ in 0..<30 { try LeakTests.oneChannel() }
            // A thread that has been joined stands in its folder a little longer. The watchdog ends a leak's waiting.
            while try LeakTests.held() != before { usleep(1000) }
        }
    }

    private static func held() throws -> [Int] {
        try [entries("fd"), entries("task"), mappings()]
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
                    let taken = request.takeFirstDescriptor()
                    try request.reply([taken == nil ? 0 : 1], sealed: SealedPieces(try SealedMemory(copying: [1])))
                }
            }
            let file = DescriptorList(try Descriptor.memfd("annex-leak", size: 1))
            let reply = try host.call(
                Request(method: 1, descriptors: file, accepts: DescriptorAllowance(pieces: 1, bytes: 10)))
            #expect(reply.sealed.count == 1)
            host.finish(thread)
        }
        loop.shutDown()
    }

    private static func entries(_ folder: String) throws -> Int {
        guard let directory = opendir("/proc/self/\(folder)") else { throw SystemError("opendir", errno: errno) }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    /// Mappings of memfds: the allocator's own come and go.
    private static func mappings() throws -> Int {
        let text = String(
            decoding: try Descriptor.open("/proc/self/maps", O_RDONLY).readAll(atMost: 1 << 24), as: UTF8.self)
        return text.split(separator: "\n").filter { $0.contains("memfd:") }.count
    }
}
