internal import AnnexLinux

extension ExtensionSender {
    /// Sends a message in pieces, each as soon as the host has read an earlier one.
    /// - Parameter beforeLast: what has to go ahead of the whole.
    mutating func sendLarge(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer, _ control: borrowing ControlSocket,
        isAttended: Bool, beforeLast: () throws(ExtensionFailure) -> Void = {}
    ) throws(ExtensionFailure) {
        var first = header
        first.kind = .large
        let head = LargeHeader(kind: header.kind, length: UInt32(clamping: payload.count)).encoded(nil)
        try makeRoom(control) { (sender) throws(ChannelViolation) in
            try sender.writer.hasRoom(payload: UInt32(LargeHeader.size))
        }
        unsafe head.withUnsafeBytes { unsafe writer.write(first, payload: $0) }
        var done = 0
        while done < payload.count {
            let piece = unsafe UnsafeRawBufferPointer(
                rebasing: payload[done..<min(done + Int(WireFormat.pieceSize), payload.count)])
            done += piece.count
            try makeRoom(control) { (sender) throws(ChannelViolation) in try sender.hasRoomForPiece() }
            if done == payload.count { try beforeLast() }
            unsafe writer.write(piece: piece, of: header.call, &arena)
            if flush(isAttended: isAttended) { try control.ring() }
        }
    }

    private mutating func hasRoomForPiece() throws(ChannelViolation) -> Bool {
        try writer.hasRoomForPiece(&arena)
    }

    private mutating func makeRoom(
        _ control: borrowing ControlSocket, _ hasRoom: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ExtensionFailure) {
        while try !checked(hasRoom) {
            // What answers an attended call rang for nobody, and a host that does not look makes no room.
            if flush() || wantsDoorbell() { try control.ring() }
            _ = try checked { (sender) throws(ChannelViolation) in
                try sender.waitForRoom(hasRoom)
                return true
            }
            if isStopped { throw .ended }
        }
    }

    private mutating func checked(
        _ body: (inout ExtensionSender) throws(ChannelViolation) -> Bool
    ) throws(ExtensionFailure) -> Bool {
        do throws(ChannelViolation) {
            return try body(&self)
        } catch {
            throw .violated(error)
        }
    }
}
