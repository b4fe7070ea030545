import AnnexHost

/// A request of one item, which holds the driver's bytes.
struct ItemWay: Way {
    let session: ExtensionSession

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        do throws(HostError) {
            let answer = try session.requestAndWait([ExtensionItem(userInfo: ["bytes": .data(Array(request))])])
            guard let bytes = answer.first?.userInfo["bytes"]?.data, bytes.count <= reply.count else { return 0 }
            reply.copyBytes(from: bytes)
            return bytes.count
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}
