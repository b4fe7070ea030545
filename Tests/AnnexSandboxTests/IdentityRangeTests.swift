import AnnexLinux
import Foundation
import Testing

@testable import AnnexLaunch

@Suite struct IdentityRangeTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "annex-ids-\(UUID())").path

    @Test func `two brokers never give the same user number`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let one = try IdentityRange(1000..<1002, directory: directory)
        let other = try IdentityRange(1000..<1002, directory: directory)
        let first = try one.claim()
        let second = try other.claim()
        #expect(first.user != second.user)
        #expect(throws: SystemError.self) { _ = try one.claim() }
    }

    @Test func `a user number is free again when its owner ends`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let range = try IdentityRange(1000..<1001, directory: directory)
        do { #expect(try range.claim().user == 1000) }
        #expect(try range.claim().user == 1000)
    }

    @Test func `a number that another broker gave back is found when the rest is taken`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let one = try IdentityRange(1000..<1003, directory: directory)
        let other = try IdentityRange(1000..<1003, directory: directory)
        var first: Identity? = try other.claim()
        let second = try one.claim()
        let third = try one.claim()
        #expect(throws: SystemError.self) { _ = try one.claim() }
        if let first = first.take() { #expect(first.user == 1000) }
        #expect(try one.claim().user == 1000)
        #expect(second.user == 1001 && third.user == 1002)
    }

    @Test func `the lowest free number is given again`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let range = try IdentityRange(1000..<1010, directory: directory)
        let held = try range.claim()
        do { #expect(try range.claim().user == 1001) }
        #expect(try range.claim().user == 1001)
        #expect(held.user == 1000)
    }

    @Test func `the default range overlaps no range of systemd or of a directory service`() {
        // The ranges that systemd documents, and the largest number that SSSD gives.
        #expect(IdentityRange.standard.lowerBound > 1_879_048_191 && IdentityRange.standard.lowerBound > 2_000_400_000)
        #expect(IdentityRange.standard.upperBound <= 2_147_352_576)
    }

    @Test func `a range is written as its two ends`() {
        #expect(IdentityRange.range("100000-165535") == 100_000..<165_536)
        for text in ["", "1", "0-10", "10-10", "20-10", "-5", "1-2-3", "a-b", "1-4294967295", "1-4294967294"] {
            #expect(IdentityRange.range(text) == nil, "\(text)")
        }
    }

    @Test func `the owners of private directories are users that no launch gets`() {
        #expect(IdentityRange.owners(of: 100..<200) == 150..<200)
        #expect(IdentityRange.owners(of: 100..<104) == 102..<104)
        #expect(IdentityRange.owners(of: 100..<102).isEmpty)
        #expect(!IdentityRange.extensions.overlaps(IdentityRange.owners) && !IdentityRange.owners.isEmpty)
        #expect(!IdentityRange.owners.contains(IdentityRange.ofPrograms.user))
    }

    @Test func `programs have a user that no extension gets`() {
        let programs = IdentityRange.ofPrograms
        #expect(!IdentityRange.extensions.contains(programs.user) && IdentityRange.standard.contains(programs.user))
    }

    @Test func `root is in no range`() {
        #expect(throws: SystemError.self) { _ = try IdentityRange(0..<10, directory: directory) }
    }
}
