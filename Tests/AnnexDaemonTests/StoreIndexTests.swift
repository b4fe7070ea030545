import AnnexChannel
import Testing

@testable import AnnexDaemon

@Suite struct StoreIndexTests {
    private func app(_ name: String, bytes: UInt64) -> StoreIndex.App {
        StoreIndex.App(identifier: name, folder: "app-\(name)", name: "A.app", bytes: bytes, disabled: [name + ".x"])
    }

    @Test func `an index is read from the disk as it was written`() throws {
        let index = StoreIndex(apps: [app("com.a", bytes: 5), app("com.b", bytes: .max)])
        let read = try StoreIndex(decoding: index.encoded(within: StoreIndex.limits), within: StoreIndex.limits)
        #expect(read == index)
        #expect(throws: DecodingFailure.self) { try StoreIndex(decoding: [1, 0, 4, 0, 0, 0, 2, 0, 0, 0]) }
    }

    @Test func `sizes in a damaged index add up to at most the largest number`() {
        #expect(StoreIndex(apps: [app("com.a", bytes: 5), app("com.b", bytes: 7)]).bytes == 12)
        #expect(StoreIndex(apps: [app("com.a", bytes: .max), app("com.b", bytes: .max)]).bytes == .max)
        #expect(StoreIndex(apps: [app("com.a", bytes: 1 << 62), app("com.b", bytes: 1 << 62)]).bytes == .max)
    }
}
