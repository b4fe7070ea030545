package import AnnexLinux
package import AnnexMessages
package import AnnexPortal
internal import Synchronization

/// One service that members, which are extensions and apps, use through their portals.
package protocol PortalService: Sendable {
    /// The service's number in requests.
    var name: PortalServiceName { get }
    /// The entitlement that a member needs; nil if the service itself decides which members it serves.
    var entitlement: String? { get }
    /// Whether an extension could use the service.
    func isUseful(to extension: PortalProspect) -> Bool
    /// Works on a request, and answers it now or later. The function may wait for a disk, because it runs in a
    /// row of a lane and not on the event loop.
    func handle(_ call: PortalCall)
    /// Forgets a member whose portal has ended.
    func forget(_ connection: PortalConnection)
}

extension PortalService {
    package var entitlement: String? { PortalEntitlement.groups }
    /// A service about groups is useful to the members of groups.
    package func isUseful(to extension: PortalProspect) -> Bool { !`extension`.groups.isEmpty }
    package func forget(_ connection: PortalConnection) {}
}

/// An extension before its launch, as far as it decides whether the extension gets a portal.
package struct PortalProspect: Sendable {
    /// The extension point.
    package let point: String
    /// The groups that the extension is a member of, after the check of its entitlements.
    package let groups: [String]

    package init(point: String, groups: [String]) {
        self.point = point
        self.groups = groups
    }
}

package enum PortalEntitlement {
    /// The entitlement for everything that belongs to an app group.
    package static let groups = "com.apple.security.application-groups"
}

/// One request of a member. Each request gets exactly one answer.
package final class PortalCall: Sendable {
    package let connection: PortalConnection
    package let number: UInt64
    /// The kind of request. The method's number has not been checked.
    package let method: PortalMethod
    /// The group that the request is about; nil if the request names no group.
    package let group: OpenGroup?
    package let body: [UInt8]
    private let isAnswered = Mutex(false)

    init(_ request: PortalRequest, to service: PortalServiceName, of connection: PortalConnection, group: OpenGroup?) {
        self.connection = connection
        number = request.call
        method = PortalMethod(service, number: request.method)
        body = request.body
        self.group = group
    }

    deinit {
        // If a service releases a call without an answer, the service has a fault. An error is sent, so that the
        // member does not wait forever.
        fail(PortalError(.system, what: "the broker dropped the request"))
    }

    package var member: PortalMember { connection.member }

    /// The group that the request is about.
    package func joinedGroup() throws(PortalError) -> OpenGroup {
        if let group { return group }
        throw PortalError(.invalid, what: "the request names no group")
    }

    /// Decodes the body of the request as a message.
    package func decoded<Body: Message>(
        as type: Body.Type = Body.self, within limits: MessageLimits = .standard
    ) throws(PortalError) -> Body {
        do throws(DecodingFailure) {
            return try Body(decoding: body, within: limits)
        } catch {
            throw PortalError(
                .invalid, what: "the request cannot be read: \(error)",
                remedy: "build the extension and its broker with the same version of Annex")
        }
    }

    /// Answers with the result of a closure, or with the error that the closure throws.
    package func answer(with body: () throws(PortalError) -> [UInt8]) {
        do throws(PortalError) {
            answer(try body())
        } catch {
            fail(error)
        }
    }

    /// Answers the request, unless it already has an answer.
    package func answer(_ body: [UInt8] = [], with descriptors: consuming DescriptorList = DescriptorList()) {
        guard take() else { return }
        connection.send(answer: number, body: body, with: descriptors)
    }

    package func fail(_ error: PortalError) {
        guard take() else { return }
        connection.send(failure: error, of: number)
    }

    private func take() -> Bool {
        guard number != 0 else { return false }
        return isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
    }
}

extension Message {
    /// Encodes this message as the body of an answer.
    package func answerBody(within limits: MessageLimits = .standard) throws(PortalError) -> [UInt8] {
        do throws(EncodingFailure) {
            return try encoded(within: limits)
        } catch {
            throw PortalError(.system, what: "the answer is too large: \(error)")
        }
    }
}
