import Testing

@testable import AnnexPolicy

@Suite struct RecordingTests {
    private static func number(_ name: String) throws -> Int32 { try #require(SystemCall(named: name)).number }

    @Test func `calls are told apart by the arguments that choose their operation`() throws {
        var recording = Recording()
        let map = try Self.number("mmap")
        // Only address, size and descriptor differ, so this is the same kind of call.
        recording.add(call: map, arguments: [0, 4096, 3, 0x22, .max, 0])
        recording.add(call: map, arguments: [0x7000, 8192, 0xF_0000_0003, 0x22, 5, 0])
        recording.add(call: map, arguments: [0, 4096, 5, 2, 3, 0])
        #expect(recording.calls.count == 3)
        recording.add(call: map, arguments: [0, 1, 3, 0x22, 0, 0])
        #expect(recording.calls[Recording.Call(number: map, arguments: [2: 3, 3: 0x22])] == 2)
        recording.add(call: 900, arguments: [1, 2, 3])
        #expect(recording.calls[Recording.Call(number: 900, arguments: [:])] == 1)
    }

    @Test func `a recording keeps only the bits that the kernel reads`() throws {
        var recording = Recording()
        let control = try Self.number("fcntl")
        recording.add(call: control, arguments: [3, 0x7_0000_0001, 0])
        recording.add(call: control, arguments: [9, 1, 0])
        #expect(recording.calls == [Recording.Call(number: control, arguments: [1: 1]): 2])
    }

    @Test func `a recording joins the rights on one path`() {
        var recording = Recording()
        recording.add(path: "/a", rights: [], exists: false)
        recording.add(path: "/a", rights: .read, exists: true)
        recording.add(path: "/a", rights: .write, exists: true, makesEntry: true)
        #expect(recording.paths["/a"]?.rights == [.read, .write])
        #expect(recording.paths["/a"]?.exists == true)
        #expect(recording.paths["/a"]?.makesEntry == true)
        #expect(recording.paths["/a"]?.count == 3)
    }

    @Test func `BOMB-07: calls and paths that a program invents fill no memory and are counted`() {
        var recording = Recording()
        for number in 0..<Recording.mostCalls + 10 {
            recording.add(call: Int32(1000 + number), arguments: [])
            recording.add(call: 1000, arguments: [])
        }
        for number in 0..<Recording.mostPaths + 5 {
            recording.add(path: "/\(number)", rights: .read, exists: true)
            recording.add(program: "/\(number)")
        }
        #expect(recording.calls.count == Recording.mostCalls)
        #expect(recording.paths.count == Recording.mostPaths)
        #expect(recording.programs.count == Recording.mostPaths)
        #expect(recording.dropped == 20)
    }
}
