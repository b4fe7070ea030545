package import AnnexLinux
package import AnnexPortal

/// Gives each member of a group (an extension or an app) the shared words, the file of locks, and the path of the
/// container. A member needs all three to use the group.
package final class GroupService: PortalService {
    private let loop: EventLoop

    package init(loop: EventLoop) {
        self.loop = loop
    }

    package var name: PortalServiceName { .groups }

    package func handle(_ call: PortalCall) {
        switch call.method {
        case GroupMethod.join: join(call)
        case GroupMethod.list:
            call.answer { () throws(PortalError) in
                try NameList(names: call.member.groups.keys.sorted()).answerBody()
            }
        default: call.fail(.unknownMethod)
        }
    }

    private func join(_ call: PortalCall) {
        do throws(PortalError) {
            let group = try call.joinedGroup()
            guard let locks = call.member.locks[group.identifier] else { throw .unknownMethod }
            let terms = try GroupTerms(container: call.member.container(group), locks: locks.number).answerBody()
            call.answer(terms, with: try descriptors(of: group, locks: locks))
        } catch {
            call.fail(error)
        }
    }

    private func descriptors(of group: OpenGroup, locks: MemberLocks) throws(PortalError) -> DescriptorList {
        do throws(SystemError) {
            try group.watchOthers(on: loop)
            var list = DescriptorList(try group.wordsForMember())
            if locks.number == nil { list.append(try locks.duplicate()) }
            return list
        } catch {
            throw PortalError(.system, what: "the group cannot be joined: \(error.cause)", remedy: error.remedy)
        }
    }
}

extension PortalError {
    static let unknownMethod = PortalError(
        .invalid, what: "the broker knows no such request", remedy: "update the broker")
}
