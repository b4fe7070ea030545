/// A call that has its number and its frame, which is not sent yet.
struct OpenedCall: ~Copyable {
    let call: ChannelCall
    let frame: OutgoingFrame
}
