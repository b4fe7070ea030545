import Testing

@testable import AnnexLinux

@Suite struct MemoryPressureTests {
    @Test(arguments: [
        ("MemTotal: 1000 kB\nMemAvailable: 99 kB\n", true), ("MemTotal: 1000 kB\nMemAvailable:   100 kB\n", false),
        ("MemTotal: 1000 kB\n", true), ("", true), ("MemTotal:\nMemAvailable: x kB", true),
    ])
    func `memory is short below a tenth and also if the kernel does not say`(text: String, isShort: Bool) {
        #expect(MemoryPressure.isShort(text) == isShort)
    }

    @Test func `the kernel accepts the request for memory pressure from an ordinary user too`() throws {
        do {
            let pressure = try MemoryPressure(on: EventLoop.shared()) {}
            withExtendedLifetime(pressure) {}
        } catch {
            print("skipped: this kernel tells nobody of memory pressure: \(error)")
        }
    }
}
