internal import AnnexLinux
internal import AnnexMessages
internal import AnnexPortal

extension JoinedGroup {
    /// Sends a message about this group, and waits for the answer.
    func ask(_ method: PortalMethod, with message: some Message) throws(PortalError) -> PortalAnswer {
        try portal.call(method, group: identifier, body: PortalRequest.body(message))
    }
}

extension PortalRequest {
    /// Encodes a message as the body of a request.
    static func body(_ message: some Message) throws(PortalError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try message.encoded(within: limits)
        } catch {
            throw PortalError(
                .full, what: "the data is too large: \(error)",
                remedy: "keep it in a file of the container: at most \(ByteCount(mostBytes)) can be sent at once")
        }
    }
}
