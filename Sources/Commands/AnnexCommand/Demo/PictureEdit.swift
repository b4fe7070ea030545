import AnnexHost
import AnnexLinux
import ArgumentParser
import Glibc

/// The harmless part of the demo. It sends one picture through the photo-editing extension.
struct PictureEdit {
    /// The result of the edit, with everything that the demo shows.
    struct Result {
        var original: String
        var outcome: Swift.Result<Edited, Failure>
        var session: SessionFacts?

        var isSuccess: Bool {
            if case .success = outcome { true } else { false }
        }
    }

    struct Edited {
        let path: String
        let originalSize: Int
        let size: Int
        let answered: Duration
    }

    struct Failure: Error {
        let text: String
    }

    /// The most bytes that an edited picture may have.
    static let largest = 256 << 20

    let host: AnnexHost
    let edit: EditName

    /// Edits the user's picture, or a generated one, and writes the result beside it.
    func run(on picture: String?) async -> Result {
        var result = Result(
            original: picture ?? "sample.png", outcome: .failure(Failure(text: "the edit has not begun")))
        do {
            if picture == nil {
                result.original = try NewFile.write(SamplePicture().png()) {
                    $0 == 1 ? "sample.png" : "sample-\($0).png"
                }
            }
            let contents = try ItemContents(path: result.original)
            let (item, answered) = try await ask(contents, named: result.original, into: &result.session)
            let bytes = try load(item)
            let original = result.original
            let path = try NewFile.write(bytes) { NewFile.edited(original, number: $0) }
            result.outcome = .success(
                Edited(path: path, originalSize: try contents.count, size: bytes.count, answered: answered))
        } catch {
            result.outcome = .failure(Failure(text: Self.text(of: error, about: result.original)))
        }
        return result
    }

    /// Edits a picture in memory and writes nothing, to find out whether the host still works. Returns nil if the host
    /// works. Otherwise returns the reason.
    func runInMemory() async -> String? {
        do {
            let contents = try ItemContents(bytes: SamplePicture().png())
            var facts: SessionFacts?
            _ = try await load(ask(contents, named: "sample.png", into: &facts).item)
            return nil
        } catch {
            return Self.text(of: error, about: "a picture in memory")
        }
    }

    private func ask(
        _ contents: ItemContents, named name: String, into facts: inout SessionFacts?
    ) async throws -> (item: ExtensionItem?, answered: Duration) {
        let session = try await host.begin(ExampleApp.editor)
        let type = TypeIdentifier.picture(named: name)
        let picture = ItemProvider(contents: contents, types: [type], suggestedName: nil)
        let request = ExtensionItem(attachments: [picture], userInfo: ["edit": .string(edit.rawValue)])
        let clock = ContinuousClock()
        let begun = clock.now
        do {
            let items = try await session.request([request], accepting: .sealedMemory(count: 1, bytes: Self.largest))
            let answered = clock.now - begun
            facts = SessionFacts(session, end: await session.complete())
            return (items.first, answered)
        } catch {
            facts = SessionFacts(session, end: await session.cancel())
            throw error
        }
    }

    /// Loads the picture's bytes. The host only copies them and never decodes them.
    private func load(_ item: ExtensionItem?) throws -> [UInt8] {
        guard let attachment = item?.attachments.first else {
            throw Failure(text: "the extension sent no picture back")
        }
        return try attachment.contents.load(limit: Self.largest)
    }

    private static func text(of error: any Error, about picture: String) -> String {
        let name = Escaped(picture)
        switch error {
        case let failure as Failure: return "\(name): \(failure.text)"
        case HostError.cancelled(let error): return "\(name): \(Escaped(error.localizedDescription))"
        case ItemFailure.notAFile: return "\(name): only a regular file can be edited"
        case ItemFailure.system(let error):
            return "\(name): \(Errno.text(error.errno))\(remedy(picture, errno: error.errno))"
        case let error as SystemError: return "the result cannot be written: \(Escaped(error.description))"
        default: return "\(name): \(Escaped("\(error)"))"
        }
    }

    /// The remedy for a file name that is not UTF-8. When the command line was read, some bytes of such a name were
    /// replaced. So no file has the name that remains.
    private static func remedy(_ picture: String, errno: Int32) -> String {
        errno == ENOENT && picture.contains("\u{FFFD}")
            ? "; the name is not UTF-8: make a link to the file, with a name in UTF-8" : ""
    }
}

extension TypeIdentifier {
    /// The type that the ending of the file name suggests. The true type is known only to the sandboxed extension,
    /// which reads the file.
    fileprivate static func picture(named name: String) -> TypeIdentifier {
        let ending = name.split(separator: ".").last?.lowercased()
        return ending == "jpg" || ending == "jpeg" ? .jpeg : .png
    }
}

/// The edits that the example's photo-editing extension offers. The raw values are the words in its request.
enum EditName: String, CaseIterable, ExpressibleByArgument {
    case sepia
    case grayscale
    case invert
}

/// The facts about a session that the demo shows: its launch, its traffic, its end.
struct SessionFacts {
    let report: LaunchReport
    /// How many messages the host sent, and how many it received. They include the extension's hello.
    let sent: UInt64
    let received: UInt64
    /// Payload bytes in messages, in both directions. The picture is not sent in messages and does not count.
    let bytes: UInt64
    let end: Termination

    init(_ session: ExtensionSession, end: Termination) {
        report = session.launchReport
        sent = session.statistics.messagesSent
        received = session.statistics.messagesReceived
        bytes = session.statistics.bytesSent + session.statistics.bytesReceived
        self.end = end
    }
}

extension NewFile {
    /// The name of an edited file: `holiday.jpg` gives `holiday-edited.jpg`, then `holiday-edited-2.jpg`.
    static func edited(_ original: String, number: Int) -> String {
        let slash = original.lastIndex(of: "/").map { original.index(after: $0) } ?? original.startIndex
        let file = original[slash...]
        let dot = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 } ?? file.endIndex
        let suffix = number == 1 ? "" : "-\(number)"
        return original[..<slash] + file[..<dot] + "-edited\(suffix)" + file[dot...]
    }
}
