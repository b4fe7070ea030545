import AnnexLinux
import Glibc
import Testing

@Suite struct ControlSocketTests {
    @Test func bytesAndDescriptorsArriveTogether() throws {
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

    @Test func nothingThereAndThePeersEndAreTwoThings() throws {
        var socket: ControlSocket
        do {
            let pair = try ControlSocketPair()
            guard case .nothing = try pair.host.receive(atMost: 16) else {
                Issue.record("something came")
                return
            }
            socket = ControlSocket(owning: try pair.host.descriptor.duplicate())
        }
        // Another test's child holds the peer until it is another program.
        while case .nothing = try socket.receive(atMost: 16) { sched_yield() }
        guard case .end = try socket.receive(atMost: 16) else {
            Issue.record("no end")
            return
        }
        #expect(throws: SystemError("sendmsg", errno: EPIPE)) { try socket.send([1]) }
    }

    @Test("FD-04: what nobody takes is closed") func untakenDescriptorsAreClosed() throws {
        let name = "annex-untaken"
        let pair = try ControlSocketPair()
        var list = DescriptorList()
        for _ in 0..<ControlSocket.mostDescriptors { list.append(try Descriptor.memfd(name, size: 0)) }
        try pair.host.send([1], list)
        #expect(OpenDescriptors.count(naming: name) == ControlSocket.mostDescriptors)
        list.closeAll()
        do {
            let reception = try pair.peer.receive(atMost: 1)
            #expect(OpenDescriptors.count(naming: name) == ControlSocket.mostDescriptors)
            _ = consume reception
        }
        #expect(OpenDescriptors.count(naming: name) == 0)
    }

    @Test func longMessagesSayThatTheyWereCut() throws {
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

    @Test("FD-04: a peer that sends more than fits is seen and leaks nothing") func truncatedControlData() throws {
        let name = "annex-toomany"
        let pair = try ControlSocketPair()
        do {
            let memory = try Descriptor.memfd(name, size: 0)
            let sent = sendMany(pair.host.descriptor.number, memory.number, count: 40)
            #expect(sent == 1)
        }
        do {
            guard case .message(let message) = try pair.peer.receive(atMost: 1) else {
                Issue.record("nothing came")
                return
            }
            let (lost, count) = (message.descriptorsWereCut, message.descriptors.count)
            #expect(lost)
            #expect(count == ControlSocket.mostDescriptors)
        }
        #expect(OpenDescriptors.count(naming: name) == 0)
    }

    @Test("FD-03: a socket that takes no rights refuses at the sender") func refusedRights() throws {
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

    @Test func thePeerIsAProcess() throws {
        let pair = try ControlSocketPair()
        try pair.host.peer().sendSignal(0)
    }

    /// As a hostile peer does it: past every bound of `ControlSocket.send`.
    private func sendMany(_ socket: Int32, _ descriptor: Int32, count: Int) -> Int {
        var byte: UInt8 = 0
        var control = [UInt8](repeating: 0, count: 16 + count * 4)
        control.withUnsafeMutableBytes { room in
            room.storeBytes(of: UInt(16 + count * 4), as: UInt.self)
            room.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
            room.storeBytes(of: 1, toByteOffset: 12, as: Int32.self)
            for index in 0..<count { room.storeBytes(of: descriptor, toByteOffset: 16 + index * 4, as: Int32.self) }
        }
        return withUnsafeMutablePointer(to: &byte) { byte in
            control.withUnsafeMutableBytes { room in
                var part = iovec(iov_base: byte, iov_len: 1)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = room.baseAddress
                    message.msg_controllen = room.count
                    return sendmsg(socket, &message, 0)
                }
            }
        }
    }
}
