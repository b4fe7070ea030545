import AnnexLinux
import Foundation
import Testing

@testable import AnnexSandbox

@Suite struct IdentityRangeTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "annex-ids-\(UUID())").path

    @Test func twoBrokersNeverGiveTheSameNumber() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let one = try IdentityRange(1000..<1002, directory: directory)
        let other = try IdentityRange(1000..<1002, directory: directory)
        let first = try one.claim()
        let second = try other.claim()
        #expect(first.user != second.user)
        #expect(throws: SystemError.self) { _ = try one.claim() }
    }

    @Test func aNumberIsFreeAgainWhenItsOwnerEnds() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let range = try IdentityRange(1000..<1001, directory: directory)
        do { #expect(try range.claim().user == 1000) }
        #expect(try range.claim().user == 1000)
    }

    @Test func rootIsInNoRange() {
        #expect(throws: SystemError.self) { _ = try IdentityRange(0..<10, directory: directory) }
    }
}
