import AnnexModel
import Testing

@Suite struct DurationTests {
    @Test(arguments: [
        (0, "0.00 µs"), (1830, "1.83 µs"), (9_994, "9.99 µs"), (9_996, "10.0 µs"), (99_960, "100 µs"),
        (312_400, "312 µs"), (999_400, "999 µs"), (999_600, "1.00 ms"), (20_260_000, "20.3 ms"),
        (210_260_000, "210 ms"), (999_600_000, "1.00 s"), (2_000_000_000, "2.00 s"), (59_940_000_000, "59.9 s"),
        (999_999_000_000_000, "999999 s"), (-5_000_000, "0.00 µs"),
    ])
    func `a duration is shown in three figures and in at most eight characters`(nanoseconds: Int, text: String) {
        #expect(Duration.nanoseconds(nanoseconds).short == text && text.count <= 8)
    }
}
