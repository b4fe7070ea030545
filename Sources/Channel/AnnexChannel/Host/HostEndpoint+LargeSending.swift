internal import AnnexLinux
internal import AnnexMessages
internal import Synchronization

extension HostEndpoint {
    /// Whether a payload goes in pieces.
    func isLarge(_ bytes: Int) -> Bool { bytes > largestFrame }

    /// Writes pieces for as long as there is room, each under the lock by itself: other frames go between them, so that
    /// nothing waits for more than the pieces of one arena.
    func attempt(
        _ frame: borrowing OutgoingFrame, _ transfer: LargeTransfer, willSleep: Bool
    ) -> Attempt {
        // SAFETY: lent for the call, which copies what it sends.
        unsafe frame.payload.withUnsafeBytes { bytes in
            unsafe attempt(frame.header, frame.terms, bytes, transfer, willSleep: willSleep) {
                if let failure = handOver(frame) { return failure }
                tap?.record(sent: frame.header, frame)
                return nil
            }
        }
    }

    /// - Parameter beforeLast: what has to go ahead of the whole.
    func attempt(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, _ transfer: LargeTransfer,
        willSleep: Bool, beforeLast: () -> CallFailure? = { nil }
    ) -> Attempt {
        while true {
            let step: Attempt? = sending.withLock { sender in
                guard !isClosed.load(ordering: .acquiring) else { return .failed(closedReason) }
                do throws(ChannelViolation) {
                    try sender.sendCancels()
                    guard try sender.hasRoom(for: transfer) else {
                        let seen = sender.writer.seen
                        flush(&sender)
                        if willSleep { beginSleep(&sender) }
                        return .full(seen)
                    }
                } catch {
                    return .failed(.violated(error))
                }
                return unsafe send(header, terms, payload, transfer, &sender, beforeLast)
            }
            if let step { return step }
        }
    }

    /// Writes the message's first frame or its next piece.
    /// - Returns: nil where there is more to come.
    private func send(
        _ header: FrameHeader, _ terms: RequestTerms?, _ payload: UnsafeRawBufferPointer, _ transfer: LargeTransfer,
        _ sender: inout HostSender, _ beforeLast: () -> CallFailure?
    ) -> Attempt? {
        tally.framesSent.add()
        defer { flush(&sender) }
        guard sender.isUnderWay(transfer) else {
            sender.begin(transfer, header, terms, length: payload.count)
            return nil
        }
        let done = transfer.sent.load(ordering: .relaxed)
        let next = min(done + Int(WireFormat.pieceSize), payload.count)
        if next == payload.count, let failure = beforeLast() { return .failed(failure) }
        unsafe sender.write(piece: UnsafeRawBufferPointer(rebasing: payload[done..<next]), of: header.call)
        transfer.sent.store(next, ordering: .relaxed)
        tally.bytesSent.add(UInt64(next - done))
        guard next == payload.count else { return nil }
        sender.end(transfer)
        return .sent
    }

    /// Calls with a payload or for an answer of any length, on this thread. The bytes are copied once on either side.
    func callLarge(_ call: RawCall, until deadline: UInt64?) throws(CallFailure) -> Int {
        guard !loop.isCurrent else { throw .onEventLoop }
        let memory = unsafe call.workspace == nil ? CallerMemory(call.reply) : nil
        defer { memory?.close() }
        let entered = try enter(
            method: call.method, isPing: false, accepts: .none, deadline: deadline,
            mostReply: MessageLimits.standard.bytes, memory: memory)
        let header = FrameHeader(kind: .request, method: call.method, call: entered.id)
        do throws(CallFailure) {
            let transfer = LargeTransfer()
            try sendWaiting(transfer, until: deadline) {
                unsafe attempt(
                    header, RequestTerms(limit: call.limit ?? .max), call.payload, transfer, willSleep: true)
            }
        } catch {
            giveUp(entered, with: error, tell: false)
        }
        return try awaitLarge(entered, memory, call)
    }

    /// Waits for an answer that may come in pieces.
    func awaitLarge(_ entered: ChannelCall, _ memory: CallerMemory?, _ call: RawCall) throws(CallFailure) -> Int {
        defer { memory?.close() }
        if loop.isCurrent { giveUp(entered, with: .onEventLoop) }
        follow(entered)
        let reply = try entered.outcome().get().payload
        if let workspace = call.workspace { return workspace.keep(reply) }
        let count = memory?.count ?? reply.count
        guard count <= call.room else { throw .payloadTooLarge(bytes: count, most: call.room) }
        unsafe call.reply.copyBytes(from: reply)
        return count
    }
}

extension HostSender {
    func isUnderWay(_ transfer: LargeTransfer) -> Bool { underWay === transfer }

    /// Whether the transfer's next frame can be written: no other is under way, and a place is free.
    mutating func hasRoom(for transfer: LargeTransfer) throws(ChannelViolation) -> Bool {
        guard let underWay else { return try writer.hasRoom(payload: 64) }
        guard underWay === transfer else {
            // So that whoever sleeps for the other's end sleeps on what is new.
            try writer.look()
            return false
        }
        return try writer.hasRoomForPiece(&arena)
    }

    mutating func begin(_ transfer: LargeTransfer, _ header: FrameHeader, _ terms: RequestTerms?, length: Int) {
        underWay = transfer
        var first = header
        first.kind = .large
        let head = LargeHeader(kind: header.kind, length: UInt32(clamping: length)).encoded(terms)
        // SAFETY: the writer copies the bytes and keeps nothing.
        unsafe head.withUnsafeBytes { unsafe writer.write(first, payload: $0) }
    }

    mutating func write(piece: UnsafeRawBufferPointer, of call: UInt64) {
        unsafe writer.write(piece: piece, of: call, &arena)
    }

    mutating func end(_ transfer: LargeTransfer) {
        if underWay === transfer { underWay = nil }
    }
}
