extension Duration {
    /// Longer than a test's watchdog: for limits that a machine under load must not reach.
    public static let patience = Duration.seconds(3000)
}
