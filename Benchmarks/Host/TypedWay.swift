import AnnexChannel
import BenchMessages

/// The synchronous call with messages of a type of their own: encoded, decoded, answered, and all of it back.
struct TypedWay: Way {
    let channel: HostEndpoint

    @inline(__always)
    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(CallFailure) {
            return try channel.callAndWait(Words(request)).copy(to: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}

extension Words {
    /// - Returns: how many bytes; 0 where there is too little room.
    @inline(__always)
    func copy(to reply: UnsafeMutableRawBufferPointer) -> Int {
        withBytes { words in
            guard words.count <= reply.count else { return 0 }
            reply.copyMemory(from: words)
            return words.count
        }
    }
}
