import AnnexExtension
import ImageFilters

/// Applies a filter to a picture that is not trusted. The filter's curves are in the app's `Frameworks`.
@main
final class FilterEditor: PhotoEditingExtension {
    private var result: (picture: Pixmap, filter: String)?

    func startContentEditing(with input: ContentEditingInput) throws {
        guard let frameworks = input.frameworksDirectory, let name = input.userInfo["filter"]?.string,
            ImageFilter.names.contains(name)
        else { throw Self.error("there is no such filter; there are: \(ImageFilter.names.joined(separator: ", "))") }
        let curves = try ItemContents(path: ImageFilter.file(named: name, in: frameworks)).load(limit: 4096)
        guard let filter = ImageFilter(curves: curves) else { throw Self.error("the curves of \(name) are damaged") }
        guard var picture = Pixmap(try input.loadPicture(limit: 64 << 20)) else {
            throw Self.error("the picture is no portable pixmap (P6)")
        }
        filter.apply(to: &picture)
        result = (picture, name)
    }

    func finishContentEditing() throws -> ContentEditingOutput {
        guard let result else { throw Self.error("there is no picture to finish") }
        let recipe = AdjustmentData(
            formatIdentifier: "com.example.filters", formatVersion: "1", data: Array(result.filter.utf8))
        return try ContentEditingOutput(type: .image, adjustmentData: recipe, bytes: result.picture.file)
    }

    func cancelContentEditing() { result = nil }

    private static func error(_ text: String) -> ExtensionError {
        ExtensionError(code: 1, domain: "com.example.filters", localizedDescription: text)
    }
}
