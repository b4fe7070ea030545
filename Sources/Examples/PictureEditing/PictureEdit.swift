/// The edits that can be applied to a picture.
public enum PictureEdit: String, Sendable, CaseIterable {
    /// Brown and white, as in old photographs.
    case sepia
    /// Black and white.
    case grayscale
    /// Every colour becomes its opposite.
    case invert
}
