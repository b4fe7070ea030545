import AnnexModel
import Testing

@Suite struct TypeIdentifierTests {
    @Test(arguments: [
        (TypeIdentifier.png, TypeIdentifier.image, true), (.png, .data, true), (.png, .item, true),
        (.png, .png, true), (.image, .png, false), (.png, .jpeg, false), (.utf8PlainText, .text, true),
        (.fileURL, .url, true), (TypeIdentifier(rawValue: "com.example.sketch"), .item, false),
    ])
    func `A3: a type conforms to itself and to its kinds`(type: TypeIdentifier, other: TypeIdentifier, conforms: Bool) {
        #expect(type.conforms(to: other) == conforms)
    }

    @Test func `file names map to types and back`() {
        #expect(TypeIdentifier(filenameExtension: "JPEG") == .jpeg)
        #expect(TypeIdentifier(filenameExtension: "exe") == nil)
        #expect(TypeIdentifier.jpeg.preferredFilenameExtension == "jpg")
        #expect(TypeIdentifier.image.preferredFilenameExtension == nil)
    }

    @Test func `only plain names are well-formed types`() {
        #expect(TypeIdentifier.png.isWellFormed)
        for text in ["", "a b", "../etc", "ünï", "a\u{1B}", String(repeating: "a", count: 256)] {
            #expect(!TypeIdentifier(rawValue: text).isWellFormed)
        }
    }
}
