internal import AnnexLinux
internal import Glibc
internal import Synchronization

/// The control socket of a host's endpoint: it carries doorbells, and descriptors in both directions.
///
/// This object keeps descriptors that arrive, in order, until their frame is read. If no call takes the descriptors, a
/// separate thread closes them.
final class ControlLine: Sendable {
    private let state: ChannelState
    let socket: ControlSocket
    let inbox: Mutex<ControlInbox>
    private let disposal = DescriptorDisposal()
    private let watch = Mutex<EventLoop.Watch?>(nil)
    private let peerIsGone = Atomic<Bool>(false)
    /// A copy of `HostReceiver.turns`: the number of times that the leader has asked for a doorbell so far.
    let turns = Atomic<UInt32>(0)

    init(_ socket: consuming ControlSocket, state: ChannelState) {
        self.socket = socket
        self.state = state
        inbox = Mutex(ControlInbox(state.configuration))
    }

    /// Calls `ready` on the event loop's thread whenever the socket is readable.
    func watch(_ ready: @escaping @Sendable () -> Void) throws(SystemError) {
        let token = try state.loop.watch(socket.descriptor.number) { _ in ready() }
        watch.withLock { $0 = token }
    }

    /// Stops watching the socket, because the channel is closed. Drops all hand-overs, which are the descriptors that
    /// arrived and wait for their frames.
    func close() {
        stopWatching()
        dropHandOvers()
    }

    /// Shuts the socket down and empties it when the endpoint is deallocated. A separate thread closes the descriptors
    /// that are still in the socket. Otherwise, closing the socket would close these descriptors on this thread.
    func abandon() {
        // The event loop stops watching first, because the socket's number can be reused once the socket is closed.
        stopWatching()
        socket.shutDown()
        dropHandOvers()
        while case .message(var message)? = try? socket.receive(atMost: DescriptorTag.size) {
            disposal.close(message.takeDescriptors())
        }
    }

    private func stopWatching() { watch.withLock { $0.take() }?.cancel() }

    /// Sets whether the kernel lets the extension send descriptors.
    func setPassRights(_ accept: Bool) { _ = socket.setPassRights(accept) }

    /// Sends the descriptors before their frame, so that the receiver never has to wait for them.
    /// - Returns: why the descriptors were not sent; nil if they were sent.
    func handOver(_ descriptors: borrowing DescriptorList, for call: UInt64) -> CallFailure? {
        guard !descriptors.isEmpty else { return nil }
        let tag = DescriptorTag(call: call, count: UInt32(truncatingIfNeeded: descriptors.count))
        do throws(SystemError) {
            try socket.send(tag.encoded(), descriptors)
            return nil
        } catch {
            switch error.errno {
            case EAGAIN: return .noRoom
            case EPIPE, ECONNRESET: return .ended(reason: "its end of the control socket is closed")
            default: return .system(error)
            }
        }
    }

    /// Handles the end of the connection: the extension's end of the socket is closed.
    func peerHasClosed() {
        stopWatching()
        guard !peerIsGone.exchange(true, ordering: .acquiringAndReleasing) else { return }
        state.loop.execute { [handlers = state.handlers] in handlers.onPeerClosed() }
    }
}

// Descriptors that belong to answers.
extension ControlLine {
    /// The sealed memory that arrived before an answer. Each piece is checked before its bytes are read.
    func sealedBytes(_ frame: Frame, for call: ChannelCall) throws(CallFailure) -> [SealedBytes] {
        guard frame.descriptors > 0 else { return [] }
        guard frame.descriptors <= call.accepts.pieces else {
            throw .violated(.descriptorsNotAskedFor(count: Int(truncatingIfNeeded: frame.descriptors), call: call.id))
        }
        var list = try receiveHandOver(frame)
        do throws(CallFailure) {
            return try sealedBytes(&list, atMost: call.accepts.bytes)
        } catch {
            disposal.close(list)
            throw error
        }
    }

    private func sealedBytes(
        _ list: inout DescriptorList, atMost limit: UInt64
    ) throws(CallFailure) -> [SealedBytes] {
        var pieces: [SealedBytes] = []
        var left = limit
        while let piece = try SealedBytes.popChecked(from: &list, atMost: left) {
            // `popChecked` has checked that the piece has at most `left` bytes.
            left &-= UInt64(truncatingIfNeeded: piece.count)
            pieces.append(piece)
        }
        return pieces
    }

    /// Closes the descriptors of an answer that no caller waits for.
    func dropHandOver(_ frame: Frame) throws(ChannelViolation) {
        guard frame.descriptors > 0 else { return }
        do throws(CallFailure) {
            disposal.close(try receiveHandOver(frame))
        } catch {
            if case .violated(let violation) = error { throw violation }
        }
    }

    /// Closes the descriptors that arrived for a call that this side has given up.
    func dropHandOver(of call: ChannelCall) {
        guard call.accepts.pieces > 0 else { return }
        disposal.close(inbox.withLock { $0.removeKept(for: call.id) })
    }

    /// Closes all descriptors that wait for a frame, because the host reads no more frames.
    private func dropHandOvers() {
        disposal.close(inbox.withLock { $0.popAll() })
    }

    private func receiveHandOver(_ frame: Frame) throws(CallFailure) -> DescriptorList {
        var failure: CallFailure?
        let list = inbox.withLock { inbox in
            do throws(ChannelViolation) {
                // The extension sent the descriptors before it published the frame. So they are now either in the inbox
                // or in the socket.
                if !inbox.hasHandOver { try drain(&inbox, untilHandOver: true) }
            } catch {
                failure = .violated(error)
                return DescriptorList()
            }
            switch inbox.popHandOver(call: frame.call, count: frame.descriptors) {
            case .complete(let list): return list
            case .incomplete(let list):
                disposal.close(list)
                failure = .system(SystemError("recvmsg", errno: EMFILE, remedy: "raise the limit on open files"))
            case .missing: failure = .violated(.descriptorsMissing(call: frame.call))
            }
            return DescriptorList()
        }
        if let failure { throw failure }
        return list
    }
}

// Reading the socket.
extension ControlLine {
    /// The result of reading the socket.
    struct Reading {
        /// Whether the extension rang its doorbell.
        let isRung: Bool
        let hasEnded: Bool
    }

    /// Reads the socket on the event loop's thread. The loop calls this because the socket is readable.
    func read() throws(ChannelViolation) -> Reading {
        var violation: ChannelViolation?
        let reading = inbox.withLock { inbox in
            let rung = inbox.rung
            do throws(ChannelViolation) {
                try drain(&inbox, untilHandOver: false)
            } catch {
                violation = error
            }
            return Reading(isRung: inbox.rung != rung, hasEnded: inbox.isEnded)
        }
        if let violation { throw violation }
        return reading
    }

    /// Reads the control socket.
    /// - Parameter untilHandOver: whether to read up to the first hand-over, however many doorbells come before it. A
    ///   budget of the inbox limits the doorbells that the host did not ask for. If this parameter is false, at most
    ///   `mostAtOnce` messages are read.
    private func drain(_ inbox: inout ControlInbox, untilHandOver: Bool) throws(ChannelViolation) {
        var left = ControlInbox.mostAtOnce
        while untilHandOver || left > 0 {
            left &-= 1
            guard !inbox.isEnded, !state.isClosed.load(ordering: .acquiring) else { return }
            let reception: ControlReception
            do throws(SystemError) {
                reception = try socket.receive(atMost: DescriptorTag.size)
            } catch {
                // The peer cannot cause this error by itself. Without its control socket the channel cannot be used, so
                // the inbox ends.
                inbox.end()
                return
            }
            switch consume reception {
            case .nothing: return
            case .end: inbox.end()
            case .message(let message): try accept(message, into: &inbox)
            }
            if untilHandOver, inbox.hasHandOver { return }
        }
    }

    private func accept(
        _ received: consuming ControlMessage, into inbox: inout ControlInbox
    ) throws(ChannelViolation) {
        var message = received
        var list = message.takeDescriptors()
        if message.bytes == WireFormat.doorbell, list.isEmpty, !message.descriptorsWereCut {
            state.tally.doorbells.add()
            return try inbox.ring(turns: turns.load(ordering: .acquiring))
        }
        do throws(ChannelViolation) {
            try accept(message, descriptors: &list, into: &inbox)
            disposal.close(list)
        } catch {
            disposal.close(list)
            throw error
        }
    }

    /// Checks a hand-over, and moves its descriptors from the list to the inbox if its call is still open.
    private func accept(
        _ message: borrowing ControlMessage, descriptors list: inout DescriptorList, into inbox: inout ControlInbox
    ) throws(ChannelViolation) {
        let count = list.count
        // If this process has no descriptor numbers left, the kernel drops the remaining descriptors of the message.
        let isIncomplete = message.descriptorsWereCut
        guard !message.bytesWereCut, let tag = DescriptorTag(message.bytes), tag.count > 0,
            isIncomplete || tag.count == UInt32(truncatingIfNeeded: count), count <= ControlSocket.mostDescriptors
        else { throw .malformedControl(length: message.bytes.count, descriptors: count) }
        guard try isLate(tag, count: count) else {
            return try inbox.keep(tag, descriptors: &list, isIncomplete: isIncomplete)
        }
        guard !disposal.isFull else { throw .descriptorsNotAskedFor(count: count, call: tag.call) }
        try inbox.recordLate(tag, count: count, isIncomplete: isIncomplete)
    }

    /// - Returns: whether the call to which the hand-over belongs has already ended.
    private func isLate(_ tag: DescriptorTag, count: Int) throws(ChannelViolation) -> Bool {
        switch state.calls.withLock({ $0.find(tag.call) }) {
        case .late: return true
        case .open(let call) where count <= call.accepts.pieces: return false
        case .open, .removed, .neverIssued: throw .descriptorsNotAskedFor(count: count, call: tag.call)
        }
    }
}
