package import AnnexLinux
internal import AnnexPortal
internal import AnnexTransferWire

/// The room of a group. Its container, the files of its transfers, and what running downloads may still write share it.
struct GroupRoom: Sendable, Hashable {
    /// The bytes of all files that exist.
    let used: UInt64
    /// What running downloads may still write.
    let promised: UInt64
    /// Whether other downloads run, or wait for an attempt.
    let isShared: Bool

    /// The bytes that are left of the group's room.
    var free: UInt64 { GroupLimits.bytes.minus(used.plus(promised)) }
}

extension TransferDesk {
    /// Counts the bytes that the contents of a folder use on the disk.
    package typealias Counter = @Sendable (borrowing Descriptor) -> UInt64

    /// The least room with which a download begins whose size is not known.
    private static let share = GroupLimits.bytes / 16
    /// A download that was too large tries again only if it could have so many bytes more.
    private static let growth: UInt64 = 1 << 20

    private func room(of group: OpenGroup, besides task: Int64) throws(StoreError) -> GroupRoom {
        let others = try book.downloads(of: group.key, besides: task)
        var promised: UInt64 = 0
        for other in others where other.promised > 0 {
            let staging = TransferStaging(of: other.task, session: other.session, in: group)
            promised = promised.plus(other.promised.minus(staging.received))
        }
        let used = counter(group.container).plus(counter(group.transfers))
        return GroupRoom(used: used, promised: promised, isShared: !others.isEmpty)
    }

    /// The most bytes of an upload's files. The files leave the container, so they take no new room, unless they have
    /// holes.
    func room(for files: [String], to staging: TransferStaging, within most: UInt64) throws(StoreError) -> UInt64 {
        let room = try room(of: staging.group, besides: 0)
        return most.minus(room.used.plus(room.promised)).plus(staging.use(of: files))
    }

    /// How large the file of a download may become, so that all running downloads of its group have room. While its size
    /// is not known, a download gets a half of the room that is left, and all of it if the group has no other download.
    /// - Returns: 0 for an upload; nil if the download has to wait, because the room is promised to others.
    func promise(to task: BookedTask) throws(StoreError) -> UInt64? {
        // If the group cannot be opened, the keeper learns the cause when it opens the files.
        guard task.job.work.isDownload, let staging = try? staging(of: task) else { return 0 }
        let (room, received) = (try room(of: staging.group, besides: task.number), staging.received)
        let least = task.needed > 0 ? task.needed.minus(received) : Self.share
        guard room.promised == 0 || room.free >= least else { return nil }
        let more = room.isShared ? min(max(least, room.free / 2), room.free) : room.free
        return max(received.plus(more), 1)
    }

    /// Says how much room a download needs that was too large only because other downloads had room at that time.
    /// - Returns: nil if the attempt did not end for this reason.
    func needed(by task: BookedTask, after end: TransferEnd) throws(StoreError) -> UInt64? {
        guard end.error == .tooLarge, let staging = try? staging(of: task) else { return nil }
        let room = try room(of: staging.group, besides: task.number)
        let alone = staging.received.plus(GroupLimits.bytes.minus(room.used))
        guard alone > task.promised.plus(Self.growth) else { return nil }
        return min(task.promised.plus(task.promised), alone)
    }
}

extension UInt64 {
    /// The sum, which is the largest number if it would overflow.
    fileprivate func plus(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    /// The difference, at least 0.
    fileprivate func minus(_ other: UInt64) -> UInt64 { self - Swift.min(self, other) }
}
