/// Where a channel's traffic is recorded, and how much of it. `Docs/Guide/Recordings.md` has the file's format.
///
/// A recording holds what host and extension say to each other: it is as private as they are. A channel that is
/// recorded takes the general way for every message and writes a file for each: it works as ever, but not as fast.
public struct ChannelRecording: Sendable, Hashable {
    /// A new file, made for its owner alone; an existing one, also a link, is an error.
    public var path: String
    /// The file's own limit in bytes: recording stops there, the channel goes on.
    public var mostBytes: UInt64 = 64 << 20
    /// How many bytes of each message are kept, at most 1 GiB; of the others only their number.
    public var mostPayloadBytes: UInt32 = 65536
    /// How many bytes are kept of each file or piece of sealed memory that is handed over, at most 1 GiB; 0: only its size.
    public var mostHandedOverBytes: UInt32 = 0

    public init(to path: String) {
        self.path = path
    }
}
