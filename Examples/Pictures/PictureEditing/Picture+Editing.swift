extension Picture {
    /// Changes the colours of every pixel, but not its alpha.
    public mutating func apply(_ edit: PictureEdit) {
        switch edit {
        case .sepia: mapPixels(Self.sepia)
        case .grayscale: mapPixels(Self.grayscale)
        case .invert: mapPixels { Pixel(red: 255 - $0.red, green: 255 - $0.green, blue: 255 - $0.blue) }
        }
    }

    /// A pixel's red, green and blue, each 0 to 255.
    struct Pixel: Equatable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8
    }

    private mutating func mapPixels(_ change: (Pixel) -> Pixel) {
        let step = channels
        withPixels { pixels in
            for start in stride(from: 0, through: pixels.count - step, by: step) {
                let pixel = change(Pixel(red: pixels[start], green: pixels[start + 1], blue: pixels[start + 2]))
                pixels[start] = pixel.red
                pixels[start + 1] = pixel.green
                pixels[start + 2] = pixel.blue
            }
        }
    }

    /// The brightness that an eye perceives (Rec. 601), computed in 256ths.
    private static func brightness(_ pixel: Pixel) -> UInt32 {
        (77 * UInt32(pixel.red) + 150 * UInt32(pixel.green) + 29 * UInt32(pixel.blue)) >> 8
    }

    private static func grayscale(_ pixel: Pixel) -> Pixel {
        let light = UInt8(truncatingIfNeeded: brightness(pixel))
        return Pixel(red: light, green: light, blue: light)
    }

    /// The usual sepia matrix, in 1024ths.
    private static func sepia(_ pixel: Pixel) -> Pixel {
        func mix(red: UInt32, green: UInt32, blue: UInt32) -> UInt8 {
            let sum = red * UInt32(pixel.red) + green * UInt32(pixel.green) + blue * UInt32(pixel.blue)
            return UInt8(truncatingIfNeeded: min(sum >> 10, 255))
        }
        return Pixel(
            red: mix(red: 402, green: 787, blue: 194), green: mix(red: 357, green: 702, blue: 172),
            blue: mix(red: 279, green: 547, blue: 134))
    }
}

/// The edits that can be applied to a picture.
public enum PictureEdit: String, Sendable, CaseIterable {
    /// Brown and white, as in old photographs.
    case sepia
    /// Black and white.
    case grayscale
    /// Every colour becomes its inverse.
    case invert
}
