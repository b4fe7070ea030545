internal import AnnexTransferWire

/// What a request becomes after a redirect.
struct RedirectRule {
    /// The next request.
    struct Next: Equatable {
        let location: HTTPLocation
        /// Whether the next request is a GET without a body.
        let dropsBody: Bool
        /// Whether the next request goes to another server, which gets none of the caller's own headers.
        let changesServer: Bool
    }

    /// Statuses that name another place for the same request, or for its answer.
    static let statuses: Set<UInt16> = [301, 302, 303, 307, 308]

    /// - Returns: nil if the answer is no redirect.
    static func next(
        after head: AnswerHead, from location: HTTPLocation, method: TransferMethod, redirects: Int,
        resolve: (_ reference: String, _ base: String) -> HTTPLocation?
    ) throws(TransferError) -> Next? {
        guard statuses.contains(head.status), let reference = head.fields[.location] else { return nil }
        guard !head.unreadable.contains(.location), reference.utf8.count <= TransferLimits.url,
            let target = resolve(reference, location.url), !target.hasCredentials, target.isSecure || !location.isSecure
        else { throw .redirectRefused }
        guard redirects < TransferLimits.redirects else { throw .tooManyRedirects }
        // As browsers do: 303 is answered by GET, and after a POST so are 301 and 302.
        let dropsBody = head.status == 303 || head.status < 303 && method == .post
        return Next(location: target, dropsBody: dropsBody, changesServer: target.server != location.server)
    }

    /// The caller's headers that other servers get too. All others may be credentials.
    static let harmless: Set<String> = ["accept", "accept-language", "content-type", "user-agent"]
}
