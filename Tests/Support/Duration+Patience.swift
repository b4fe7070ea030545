extension Duration {
    /// A time that is longer than a test's watchdog, for limits that a busy machine must not reach.
    public static let patience = Duration.seconds(3000)
}
