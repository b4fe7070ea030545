/// Why a picture cannot be edited, in one line for the user.
public struct PictureError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
