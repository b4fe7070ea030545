import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// The filter that a container engine installs around a container without further capabilities, made of the engine's
/// published profile.
enum ProfileFilter {
    /// Docker's profile, which `.ci/install-needs` unpacks out of Debian's package.
    static let published = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".build/profiles/docker.json").path

    static var isThere: Bool { FileManager.default.isReadableFile(atPath: published) }

    /// Capabilities that Docker gives to root of a container.
    private static let capabilities: Set = ["CAP_SYS_CHROOT", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL"]

    /// Writes the filter as an array of `struct sock_filter`, for the program `restricts-itself`.
    static func write(json: [UInt8], in folder: TemporaryFolder) throws -> String {
        let kernel = try #require(ProfileWorld.Kernel("6.1"))
        let profile = try ContainerProfile(
            json: json, file: "profile.json", world: ProfileWorld(capabilities: capabilities, kernel: kernel))
        let context = try FilterContext.make(for: .current)
        for entry in profile.entries { try add(entry, to: context) }
        let bytes = refusing(try context.export())
        let path = folder.url.appending(path: "profile.bpf").path
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private static func add(_ entry: ContainerProfile.Entry, to context: borrowing FilterContext) throws {
        let action: FilterContext.Action
        switch entry.action {
        case .allow: action = .allow
        case .errno(let number): action = .deny(errno: number)
        case .kill: action = .endProcess
        }
        for call in entry.names.compactMap({ SystemCall(named: $0, architecture: .current) }) {
            for conditions in entry.alternatives.isEmpty ? [[]] : entry.alternatives {
                let parts = conditions.map { CallRule.Part(index: $0.index, comparison: $0.alternatives[0]) }
                try context.add(action, to: call, if: parts, at: nil)
            }
        }
    }

    /// The filter with EPERM for every unlisted call. The context's own filters refer these calls to a listener.
    private static func refusing(_ program: [UInt8]) -> [UInt8] {
        let notify: UInt32 = 0x7FC0_0000
        let refused: UInt32 = 0x0005_0000 | UInt32(EPERM)
        return stride(from: 0, to: program.count, by: 8).flatMap { start -> [UInt8] in
            let instruction = Array(program[start..<(start + 8)])
            let code = UInt16(instruction[0]) | UInt16(instruction[1]) << 8
            let operand = instruction[4...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard code == 0x06, operand == notify else { return instruction }
            return instruction[..<4] + (0..<4).map { UInt8(truncatingIfNeeded: refused >> (8 * $0)) }
        }
    }
}
