import AnnexLinux
import AnnexTestSupport
import Foundation

@testable import AnnexChannel
@testable import AnnexReplay

/// A folder for one recording, and the channel that is recorded there.
struct RecordedChannel {
    private let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.appending(path: "traffic.annexrec").path
    }

    /// A channel whose traffic is recorded.
    func ends(
        _ handlers: ChannelHandlers = ChannelHandlers(), _ change: (inout ChannelRecording) -> Void = { _ in }
    ) throws -> ChannelEnds {
        var configuration = ChannelConfiguration.patient
        configuration.label = "com.example.recorded"
        var plan = ChannelRecording(to: path)
        change(&plan)
        configuration.recording = plan
        return try HostEndpoint.make(configuration: configuration, handlers: handlers)
    }

    var bytes: [UInt8] {
        get throws { [UInt8](try Data(contentsOf: URL(filePath: path))) }
    }

    var recording: RecordingContents {
        get throws { try RecordingContents(reading: bytes) }
    }
}
