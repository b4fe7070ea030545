import ArgumentParser

/// The edits that the example's photo-editing extension offers. The raw values are the words of its request.
enum EditName: String, CaseIterable, ExpressibleByArgument {
    case sepia
    case grayscale
    case invert
}
