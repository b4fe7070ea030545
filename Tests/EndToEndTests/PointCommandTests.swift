import AnnexTestSupport
import Foundation
import Testing

/// `annex point list`, `show` and `lint`, as a shell sees them.
@Suite(.timeLimit(.minutes(20))) struct PointCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let identifier = "com.example.thumbnails"
    private static let head = "name: A\nsummary: Draws.\npolicy: compute\n"

    private func annex(_ arguments: String...) async throws -> Program {
        try await Program.annex(["point"] + arguments, in: folder)
    }

    private func json(_ ran: Program) throws -> Any { try JSONSerialization.jsonObject(with: Data(ran.output.utf8)) }

    @discardableResult
    private func write(_ text: String, as identifier: String = PointCommandTests.identifier) throws -> String {
        let points = folder.url.appending(path: "points")
        try FileManager.default.createDirectory(at: points, withIntermediateDirectories: true)
        try Data("point: \(identifier)\n\(text)".utf8).write(to: points.appending(path: identifier + ".yaml"))
        return "points/\(identifier).yaml"
    }

    @Test func `the points are listed with their defaults`() async throws {
        let ran = try await annex("list")
        #expect(ran.status == 0 && ran.output.split(separator: "\n").count == 10, "\(ran)")
        let keyboard = try #require(ran.output.split(separator: "\n").first { $0.contains("keyboard") })
        #expect(keyboard.split(separator: " ").prefix(3) == ["com.apple.keyboard-service", "off", "Turns"])
        try write(Self.head)
        let more = try await annex("list", "--points", "points")
        #expect(more.output.split(separator: "\n").count == 11 && more.output.contains("Draws."), "\(more)")
        let list = try #require(try json(await annex("list", "--points", "points", "--json")) as? [[String: Any]])
        #expect(list.last?["identifier"] as? String == Self.identifier && list.last?["origin"] as? String == "own")
    }

    @Test func `a point is shown with the limits that hold`() async throws {
        try write(Self.head + "limits: { memory: 32M }\n")
        let ran = try await annex("show", Self.identifier, "--points", "points")
        #expect(ran.status == 0 && ran.output.contains("memory 32M") && ran.output.contains("launch 1s"), "\(ran)")
        let object = try #require(
            try json(await annex("show", Self.identifier, "--points", "points", "--json")) as? [String: Any])
        #expect((object["limits"] as? [String: String])?["request"] == "30s")
        let wrong = try await annex("show", "com.apple.photo-edting")
        #expect(wrong.status == 2 && wrong.errors.contains("did you mean `com.apple.photo-editing`?"), "\(wrong)")
    }

    @Test func `lint finds nothing in the example and in the shipped points`() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let example = root.appending(path: "Examples/Thumbnails/Points/com.example.thumbnails.yaml").path
        let ran = try await annex("lint", example)
        #expect(ran.status == 0 && ran.output.contains("nothing found"), "\(ran)")
        // The file of a shipped point would be a second file for that point.
        let shipped = try await annex("lint", root.appending(path: "Policies/points/com.apple.photo-editing.yaml").path)
        #expect(shipped.status == 2 && shipped.output.contains("is a shipped point"), "\(shipped)")
    }

    @Test func `lint warns of a policy that gives extensions more than they should have`() async throws {
        let file = try write("name: A\nsummary: B\npolicy: tool\nlimits: { launch: 1min }\n")
        let ran = try await annex("lint", file)
        #expect(ran.status == 1, "\(ran)")
        for part in [":4:9: warning", "processes and threads", "paths outside the bundle", ":5:9: warning", "1min"] {
            #expect(ran.output.contains(part), "\(part): \(ran)")
        }
        #expect(!ran.output.contains("error"))
    }

    @Test func `lint says how to name the folder of an unknown policy`() async throws {
        let file = folder.url.appending(path: "com.example.one.yaml")
        let text = "point: com.example.one\nname: One\nsummary: Does one thing.\npolicy: drawing\n"
        try Data(text.utf8).write(to: file)
        let ran = try await annex("lint", file.path)
        #expect(ran.status == 2 && ran.output.contains("unknown policy `drawing`"), "\(ran)")
        #expect(ran.output.contains("--policies FOLDER"), "\(ran)")
    }

    @Test func `lint finds errors with their lines and a file of the folder is not its own double`() async throws {
        let file = try write(Self.head + "defalt: off\nmedia: [camera]\n")
        let ran = try await annex("lint", file, "--json")
        let findings = try #require(try json(ran) as? [[String: Any]])
        #expect(ran.status == 2 && findings.count == 2, "\(ran)")
        #expect(findings.first?["remedy"] as? String == "did you mean `default`?")
        try write("name: A\nsummary: B\npolicy: comptue\n")
        let policy = try await annex("lint", file)
        #expect(policy.status == 2 && policy.output.contains("did you mean `compute`?"), "\(policy)")
        try write(Self.head)
        #expect(try await annex("lint", file, "--points", "points").status == 0)
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "other"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.url.appending(path: file), to: folder.url.appending(path: "other/\(Self.identifier).yaml"))
        let double = try await annex("lint", "other/\(Self.identifier).yaml", "--points", "points")
        #expect(double.status == 2 && double.output.contains("already declared in points/"), "\(double)")
        #expect(try await annex("lint", "/nonexistent.yaml").status == 2)
        #expect(try await annex("lint", "--no-such-option").status == 64)
    }
}
