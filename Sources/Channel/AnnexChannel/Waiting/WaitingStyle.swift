/// How an end of the channel waits for the other.
public enum WaitingStyle: Sendable, Hashable {
    /// Looks again and again: the shortest answer and a whole core.
    case spin
    /// Looks for about as long as sleeping would cost, then sleeps; learns from how the last waits ended.
    case adaptive
    /// Sleeps at once: no processor time, and a wake-up per message.
    case block
}
