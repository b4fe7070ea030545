import AnnexExtension
import PictureEditing

/// The photo-editing extension of the example app. It decodes, edits and encodes a picture that is not trusted.
@main
final class PictureEditor: PhotoEditingExtension {
    private var picture: Picture?
    private var edit = PictureEdit.sepia

    /// The longest picture file that is read or written, in bytes.
    private static let longestFile = 128 << 20

    func startContentEditing(with input: ContentEditingInput) throws {
        edit = try Self.edit(named: input.userInfo["edit"])
        do {
            var picture = try Picture(decoding: input.loadPicture(limit: Self.longestFile))
            picture.apply(edit)
            self.picture = consume picture
        } catch let error as PictureError {
            throw Self.error(1, text: error.description)
        }
    }

    func finishContentEditing() throws -> ContentEditingOutput {
        guard let picture = picture.take() else { throw Self.error(2, text: "there is no picture to finish") }
        let recipe = AdjustmentData(
            formatIdentifier: Self.domain, formatVersion: "1", data: Array(edit.rawValue.utf8))
        let type: TypeIdentifier = picture.format == .png ? .png : .jpeg
        return try ContentEditingOutput(type: type, adjustmentData: recipe) { file in
            do {
                try picture.encode(into: file, limit: UInt64(Self.longestFile))
            } catch let error as PictureError {
                throw Self.error(1, text: error.description)
            }
        }
    }

    func cancelContentEditing() {
        picture = nil
    }

    private static let domain = "com.example.pictures.editor"

    private static func edit(named value: ItemValue?) throws -> PictureEdit {
        guard let value else { return .sepia }
        guard let edit = value.string.flatMap(PictureEdit.init) else {
            let known = PictureEdit.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(3, text: "there is no such edit; there are: \(known)")
        }
        return edit
    }

    private static func error(_ code: Int64, text: String) -> ExtensionError {
        ExtensionError(code: code, domain: domain, localizedDescription: text)
    }
}
