import AnnexChannel
import AnnexEmbedded
import AnnexHost
import AnnexLinux
import AnnexReplay
import FoundationEssentials

/// Plays a recording to an extension in its sandbox.
struct SandboxedReplay {
    /// Why the replay could not begin.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The result of the replay.
    struct Result {
        let identifier: String
        let compared: Int
        let difference: ReplayDifference?
        let end: Termination

        var isSame: Bool { difference == nil }

        func text(style: Style) -> String {
            let subject = "\(Escaped(identifier)): \(compared) answers, events and calls"
            guard let difference else { return style.good("✓ ") + "\(subject) as recorded" }
            return style.bad("✗ ") + "\(Escaped(identifier)): \(Escaped("\(difference)"))\n  it ended: \(end)"
        }

        var json: String {
            let report = Report(
                extension: identifier, compared: compared, same: isSame, message: difference?.message,
                difference: difference.map { Escaped("\($0)").plain }, end: end.reason.rawValue)
            // Every value of the report can be encoded.
            return (try? EncodedJSON.text(report)) ?? ""
        }
    }

    private struct Report: Encodable {
        let `extension`: String
        let compared: Int
        let same: Bool
        let message: Int?
        let difference: String?
        let end: String
    }

    private let replay: ChannelReplay
    private let recording: RecordingContents
    private let app: String
    private let identifier: String?
    private let waived: Set<DispensableLayer>

    init(
        _ recording: RecordingContents, app: String, identifier: String?, waiving: [DispensableLayer]
    ) throws(ReplayFailure) {
        replay = try ChannelReplay(recording)
        self.recording = recording
        self.app = app
        self.identifier = identifier
        waived = Set(waiving)
    }

    func run(patience: Duration) async throws -> Result {
        let host = try AnnexHost.embedded(apps: [app], waiving: waived, patience: patience)
        let identifier = try choose(await host.extensions().map(\.id))
        let session = try await host.begin(identifier, serving: HostService(replaying: replay)) { configuration in
            // Each ring must be at least as large as the recorded ring, so that every recorded message fits.
            configuration.hostCapacity = max(configuration.hostCapacity, Self.ring(recording.hostCapacity))
            configuration.extensionCapacity = max(
                configuration.extensionCapacity, Self.ring(recording.extensionCapacity))
        }
        let difference = try await replay.run(on: session.channel, patience: patience)
        let end = difference == nil ? await session.complete() : await session.cancel()
        return Result(identifier: identifier, compared: replay.compared, difference: difference, end: end)
    }

    /// The extension that the option names. If the option is missing, the result is the recorded extension. If the
    /// app has only one extension, and this is not the recorded one, the result is the app's only extension.
    private func choose(_ offered: [String]) throws(Failure) -> String {
        let wanted =
            identifier ?? (offered.contains(recording.label) || offered.count != 1 ? recording.label : offered[0])
        guard offered.contains(wanted) else {
            let known = offered.sorted().map { Escaped($0).description }.joined(separator: ", ")
            throw Failure(
                description: "\(Escaped(app)) has no extension \(Escaped(quoting: wanted.utf8)); it has \(known)")
        }
        return wanted
    }

    /// The capacity of a ring, from the recording's file. The result is 0 if a channel cannot have such a ring.
    private static func ring(_ capacity: UInt32) -> UInt32 {
        capacity.nonzeroBitCount == 1 && capacity <= 1 << 24 ? capacity : 0
    }
}
