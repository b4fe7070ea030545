internal import AnnexMessages
internal import AnnexPortal

extension JoinedGroup {
    /// Sends a message about this group, and waits for the answer.
    func ask(_ method: PortalMethod, with message: some Message) throws(PortalError) -> PortalAnswer {
        let body: [UInt8]
        do throws(EncodingFailure) {
            body = try message.encoded(within: PortalRequest.limits)
        } catch {
            throw PortalError(
                .full, what: "the data is too large: \(error)",
                remedy:
                    "keep it in a file of the container: at most \(PortalRequest.mostBytes >> 10) KiB can be sent at once"
            )
        }
        return try portal.call(method, group: identifier, body: body)
    }
}
