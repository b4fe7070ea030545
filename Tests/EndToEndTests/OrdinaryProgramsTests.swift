import AnnexTestSupport
import Foundation
import Testing

/// The promise of the policy `tool`: programs run unchanged on files that are handed to them.
@Suite(.timeLimit(.minutes(20))) struct OrdinaryProgramsTests {
    static let found = OrdinaryProgram.all.filter { installed($0.name) }
    static let names = Set(found.map(\.name))

    @Test func `enough ordinary programs are installed to be tested`() {
        let missing = Set(OrdinaryProgram.all.map(\.name)).subtracting(Self.names).sorted()
        print("\(Self.names.count) programs under tool; not installed: \(missing.joined(separator: " "))")
        let wanted = ProcessInfo.processInfo.environment["CI"] == nil ? 10 : 25
        #expect(Self.names.count >= wanted)
    }

    @Test(arguments: found)
    func `a program has the same output inside and outside`(program: OrdinaryProgram) async throws {
        let outside = try await OrdinaryWorld().run(program)
        let inside = try await OrdinaryWorld().runSandboxed(program)
        #expect(inside.output == outside.output)
        #expect(inside.errors == outside.errors)
        #expect(inside.status == outside.status)
        #expect(inside.files == outside.files)
    }

    @Test func `a folder whose name contains the words of the templates is a folder like any other`() {
        let program = OrdinaryProgram("cp", "IN/a", "of=OUT/b", "'IN'", "POINT OUTER")
        let arguments = program.arguments(reading: "/t/eIN-OUT-IN/in", writing: "/t/eIN-OUT-IN/out")
        #expect(arguments == ["/t/eIN-OUT-IN/in/a", "of=/t/eIN-OUT-IN/out/b", "'/t/eIN-OUT-IN/in'", "POINT OUTER"])
    }

    private static func installed(_ name: String) -> Bool {
        ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
    }
}
