internal import AnnexLinux
package import AnnexPortal

/// The service for the pasteboards of groups.
package struct PasteboardService: PortalService {
    package var name: PortalServiceName { .pasteboard }

    package init() {}

    package func handle(_ call: PortalCall) {
        call.answer { () throws(PortalError) in
            let group = try call.joinedGroup()
            switch call.method {
            case PasteboardMethod.set: return try set(call.decoded(), by: call.member.identifier, in: group)
            case PasteboardMethod.look: return try look(call.decoded(), in: group)
            case PasteboardMethod.read: return try read(call.decoded(), in: group)
            default: throw .unknownMethod
            }
        }
    }

    private func set(
        _ contents: PasteboardContents, by writer: String, in group: OpenGroup
    ) throws(PortalError) -> [UInt8] {
        let items = contents.entries.map { entry in
            BoardItem(entry.forms.map { BoardRepresentation(type: $0.type, bytes: $0.bytes) })
        }
        let expiry = contents.lifetime.map { Self.moment(after: $0) }
        return try group.withStore { (store) throws(StoreError) in
            _ = try store.setBoard(contents.board, to: items, by: writer, until: expiry)
            return try store.board(contents.board)
        }.message.answerBody()
    }

    /// The moment after a number of milliseconds. If the moment is too far away, the result is the last moment that
    /// can be expressed.
    private static func moment(after milliseconds: UInt64) -> WallClock {
        let (more, isTooLong) = Int64(clamping: milliseconds).multipliedReportingOverflow(by: 1000)
        let (sum, isTooLate) = WallClock.now().microseconds.addingReportingOverflow(more)
        return WallClock(microseconds: isTooLong || isTooLate ? .max : sum)
    }

    private func look(_ question: PasteboardQuestion, in group: OpenGroup) throws(PortalError) -> [UInt8] {
        try group.withStore { (store) throws(StoreError) in try store.board(question.board) }.message.answerBody()
    }

    private func read(_ question: PasteboardQuestion, in group: OpenGroup) throws(PortalError) -> [UInt8] {
        let read = try group.withStore { (store) throws(StoreError) in
            try store.representation(question.type, ofItem: Int(question.item), on: question.board)
        }
        return try PasteboardData(bytes: read.bytes).answerBody()
    }
}

extension BoardSummary {
    fileprivate var message: PasteboardState {
        PasteboardState(changeCount: changeCount, writer: writer, types: types.map { NameList(names: $0) })
    }
}
