import AnnexLinux
import AnnexTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(20))) struct ControlSocketTests {
    @Test func `bytes and descriptors of a message arrive together`() throws {
        let pair = try ControlSocketPair()
        try pair.host.send([1, 2, 3], DescriptorList(try Descriptor.memfd("annex-together", size: 5)))
        guard case .message(var message) = try pair.peer.receive(atMost: 16) else {
            Issue.record("nothing came")
            return
        }
        let bytes = message.bytes
        #expect(bytes == [1, 2, 3])
        let taken = message.descriptors.takeFirst()
        let size = try taken?.status().size
        #expect(size == 5)
        let left = message.descriptors.count
        #expect(left == 0)
    }

    /// The kernel reports a reset before it returns a message that still waits.
    @Test func `a message arrives from a peer that closed its end with unread data`() throws {
        var socket: ControlSocket
        do {
            let pair = try ControlSocketPair()
            try pair.host.send([1])
            try pair.peer.send([2], DescriptorList(try Descriptor.memfd("annex-left", size: 5)))
            socket = ControlSocket(owning: try pair.host.descriptor.duplicate())
        }
        guard case .message(let message) = try socket.receive(atMost: 16) else {
            Issue.record("nothing came")
            return
        }
        let (bytes, count) = (message.bytes, message.descriptors.count)
        #expect(bytes == [2] && count == 1)
        while case .nothing = try socket.receive(atMost: 16) { sched_yield() }
    }

    @Test func `an empty message differs from the end`() throws {
        let pair = try ControlSocketPair()
        try pair.peer.send([])
        // The message may have arrived before the socket marks messages.
        try pair.host.markMessages()
        try pair.peer.send([], DescriptorList(try Descriptor.memfd("annex-empty", size: 5)))
        try pair.peer.send([])
        try pair.peer.send([1])
        pair.peer.shutDown()
        for (wanted, descriptors) in [([], 0), ([], 1), ([], 0), ([1], 0)] as [([UInt8], Int)] {
            guard case .message(let message) = try pair.host.receive(atMost: 16) else {
                Issue.record("no message")
                return
            }
            let (bytes, count) = (message.bytes, message.descriptors.count)
            let isCut = message.bytesWereCut || message.descriptorsWereCut
            #expect(bytes == wanted && count == descriptors && !isCut)
        }
        guard case .end = try pair.host.receive(atMost: 16) else {
            Issue.record("no end")
            return
        }
    }

    @Test func `a marked message has room for the most descriptors`() throws {
        let pair = try ControlSocketPair()
        try pair.host.markMessages()
        let other = try Descriptor.memfd("annex-many", size: 1)
        let numbers = [Int32](repeating: other.number, count: 253)
        #expect(sendMany(pair.peer.descriptor.number, [1], numbers) == 1)
        guard case .message(let message) = try pair.host.receive(atMost: 16) else {
            Issue.record("no message")
            return
        }
        let (count, isCut) = (message.descriptors.count, message.descriptorsWereCut)
        #expect(count == 253 && !isCut)
    }

    @Test func `an empty socket and a closed peer give different answers`() throws {
        var socket: ControlSocket
        do {
            let pair = try ControlSocketPair()
            guard case .nothing = try pair.host.receive(atMost: 16) else {
                Issue.record("something came")
                return
            }
            socket = ControlSocket(owning: try pair.host.descriptor.duplicate())
        }
        // A forked child of another test keeps the peer's end open until it executes another program.
        while case .nothing = try socket.receive(atMost: 16) { sched_yield() }
        guard case .end = try socket.receive(atMost: 16) else {
            Issue.record("no end")
            return
        }
        #expect(throws: SystemError("sendmsg", errno: EPIPE)) { try socket.send([1]) }
    }

    // These tests need hundreds of descriptor numbers at once. Each test runs in a separate process, because the limit
    // applies to a whole process.

    @Test func `FD-04: descriptors that no reader takes are closed`() async {
        await #expect(processExitsWith: .success) {
            let name = "annex-untaken"
            let pair = try ControlSocketPair()
            var list = DescriptorList()
            for _ in 0..<ControlSocket.mostDescriptors { list.append(try Descriptor.memfd(name, size: 0)) }
            try pair.host.send([1], list)
            #expect(try OpenDescriptors.count(naming: name) == ControlSocket.mostDescriptors)
            list.closeAll()
            do {
                let reception = try pair.peer.receive(atMost: 1)
                #expect(try OpenDescriptors.count(naming: name) == ControlSocket.mostDescriptors)
                _ = consume reception
            }
            #expect(try OpenDescriptors.count(naming: name) == 0)
        }
    }

    @Test func `a message that was cut says so`() throws {
        let pair = try ControlSocketPair()
        try pair.host.send([UInt8](repeating: 1, count: 100))
        guard case .message(let message) = try pair.peer.receive(atMost: 10) else {
            Issue.record("nothing came")
            return
        }
        let (bytes, cut, lost) = (message.bytes, message.bytesWereCut, message.descriptorsWereCut)
        #expect(bytes.count == 10)
        #expect(cut)
        #expect(!lost)
    }

    @Test func `FD-04: the most descriptors that the kernel lets through arrive and none leaks`() async {
        await #expect(processExitsWith: .success) {
            let name = "annex-toomany"
            let pair = try ControlSocketPair()
            do {
                let memory = try Descriptor.memfd(name, size: 0)
                let sent = sendMany(
                    pair.host.descriptor.number, [0], [Int32](repeating: memory.number, count: 253))
                #expect(sent == 1)
            }
            do {
                guard case .message(let message) = try pair.peer.receive(atMost: 1) else {
                    Issue.record("nothing came")
                    return
                }
                let (lost, count) = (message.descriptorsWereCut, message.descriptors.count)
                // If descriptors have no room, the kernel itself closes them, on the receiving thread.
                #expect(!lost)
                #expect(count == 253)
            }
            #expect(try OpenDescriptors.count(naming: name) == 0)
        }
    }

    @Test func `FD-03: a socket that takes no descriptors refuses them at the sender`() throws {
        let pair = try ControlSocketPair()
        guard pair.peer.setPassRights(false) else {
            try Test.cancel("this kernel has no SO_PASSRIGHTS (needs 6.16)")
        }
        let memory = DescriptorList(try Descriptor.memfd("annex-refused", size: 0))
        #expect(throws: SystemError("sendmsg", errno: EPERM)) { try pair.host.send([1], memory) }
        let takesAgain = pair.peer.setPassRights(true)
        #expect(takesAgain)
        try pair.host.send([1], memory)
    }

    @Test func `FD-07: the peer of a control socket is known as a process`() throws {
        let pair = try ControlSocketPair()
        try pair.host.peer().sendSignal(0)
    }
}
