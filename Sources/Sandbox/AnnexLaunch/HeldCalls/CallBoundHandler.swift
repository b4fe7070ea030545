internal import AnnexLinux
internal import AnnexNames

/// Decides about one call that the policy allows within a bound (`CallBound`), while the kernel holds the call.
///
/// Each such call gets a handler. The handler keeps the state of this call, and shares the state of the bound with the
/// other handlers of the sandbox. It knows nothing of the desk that asks it.
protocol CallBoundHandler: Sendable {
    /// Looks at the call once. The first look may run on the thread that receives the calls of all sandboxes. So it
    /// reads nothing but registers and the handler's own state. Each later look runs on the lane of held calls.
    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep

    /// Ends what was begun for the call, because the program waits for it no more.
    func abandon()

    /// The answer if no thread can be made for a later look.
    static var withoutThread: CallStep { get }
}

extension CallBoundHandler {
    func abandon() {}
}

/// What the desk does with a held call after a look at it.
enum CallStep: Hashable {
    /// The kernel performs the call.
    case proceed
    /// The call succeeds, because the broker has performed it.
    case complete
    /// The call fails as it would fail without a sandbox.
    case fail(errno: Int32)
    /// The sandbox denies the call and reports the denial. If `reason` or `text` is nil, the policy's reason and the
    /// usual description of the call are reported.
    case deny(errno: Int32, reason: String? = nil, text: String? = nil)
    /// The sandbox refuses a connection to another machine and reports that machine.
    case refuse(HostRefusal, errno: Int32)
    /// The call waits. The handler is asked again at a time of `MonotonicClock`, or as soon as possible if it is 0; or
    /// when an event happens, if that comes first.
    case again(at: UInt64 = 0, or: CallEvent? = nil)
}
