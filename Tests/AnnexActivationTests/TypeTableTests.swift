import AnnexModel
import Testing

@testable import AnnexActivation

@Suite struct TypeTableTests {
    private static let database = SharedMIMEInfo(
        globs: """
            # comment
            80:text/x-opml+xml:*.opml
            50:application/x-doom-wad:*.wad
            50:text/x-makefile:makefile
            50:image/x-odd:*.odd
            50:image/jpeg:*.jpg
            50:application/x-alone:*.[0-9]
            wrong line
            50:application/x-round:*.round
            """,
        subclasses:
            "application/x-doom-wad application/zip\napplication/x-round application/x-round2\napplication/x-round2 application/x-round\n",
        aliases: "image/pjpeg image/jpeg\n")

    @Test func `A3: file names and MIME types map to types by the built-in table`() {
        let table = TypeTable.builtIn
        #expect(table.type(ofFile: "/tmp/Holiday.JPG") == .jpeg)
        #expect(table.type(ofFile: "a.tar.gz")?.rawValue == "org.gnu.gnu-zip-tar-archive")
        #expect(table.type(ofMIME: "Image/PNG") == .png)
        #expect(table.type(ofFile: "noending") == nil && table.type(ofMIME: "a/b") == nil)
        #expect(table.conforms(TypeIdentifier(rawValue: "public.heic"), to: .image))
        #expect(table.conforms(TypeIdentifier(rawValue: "Public.JPEG"), to: .item))
        #expect(!table.conforms(.image, to: .jpeg))
    }

    @Test func `A3: the built-in types all lead to types of the table`() {
        for known in KnownType.all {
            let type = TypeIdentifier(rawValue: known.identifier)
            #expect(type.isWellFormed)
            for parent in TypeTable.builtIn.ancestors(of: type) {
                #expect(TypeTable.builtIn.has(TypeIdentifier(rawValue: parent)), "\(known.identifier): \(parent)")
            }
        }
    }

    @Test func `A3: a MIME database adds names and kinds`() throws {
        let table = TypeTable.builtIn.adding(Self.database)
        let wad = try #require(table.type(ofFile: "game.wad"))
        #expect(wad.rawValue == "dyn.mime.application.x-doom-wad" && wad.isWellFormed)
        #expect(table.conforms(wad, to: TypeIdentifier(rawValue: "public.archive")))
        #expect(table.type(ofFile: "src/Makefile").map { table.conforms($0, to: .text) } == true)
        #expect(table.type(ofFile: "x.odd").map { table.conforms($0, to: .image) } == true)
        #expect(table.type(ofMIME: "image/pjpeg") == .jpeg && table.type(ofFile: "x.jpg") == .jpeg)
        #expect(table.type(ofFile: "x.round").map { table.conforms($0, to: .data) } == true)
        #expect(table.type(ofFile: "x.7") == nil)
    }

    @Test func `A3: a missing database leaves the built-in types`() {
        let table = TypeTable.builtIn.adding(SharedMIMEInfo(folder: "/nonexistent/mime"))
        #expect(table.type(ofFile: "a.png") == .png)
    }

    @Test func `A3: an app can declare types of its own`() throws {
        let declared = TypeDeclarations(info: [
            "UTExportedTypeDeclarations": [
                [
                    "UTTypeIdentifier": "com.example.sketch", "UTTypeConformsTo": ["public.image"],
                    "UTTypeTagSpecification": [
                        "public.filename-extension": ["sketch", "jpg", "final.jpg"],
                        "public.mime-type": "image/x-sketch",
                    ],
                ]
            ]
        ])
        #expect(declared.faults.isEmpty)
        let table = TypeTable.builtIn.adding([declared])
        let sketch = TypeIdentifier(rawValue: "com.example.sketch")
        #expect(table.type(ofFile: "a.sketch") == sketch && table.type(ofMIME: "image/x-sketch") == sketch)
        #expect(table.conforms(sketch, to: .image))
        #expect(table.type(ofFile: "a.jpg") == .jpeg && table.type(ofFile: "a.final.jpg") == .jpeg)
    }

    @Test func `A3: an app can neither take over a type nor make a circle`() {
        func declaration(_ type: String, conformingTo parent: ItemValue) -> ItemValue {
            ["UTTypeIdentifier": .string(type), "UTTypeConformsTo": parent]
        }
        let declared = TypeDeclarations(info: [
            "UTExportedTypeDeclarations": [
                declaration("public.png", conformingTo: "public.movie"), declaration("a b", conformingTo: "x"), 7,
                declaration("com.example.a", conformingTo: "com.example.b"),
                declaration("com.example.b", conformingTo: ["com.example.c", "com.example.b"]),
                declaration("com.example.c", conformingTo: "com.example.a"),
                declaration("org.idpf.epub-container", conformingTo: "public.image"),
            ],
            "UTImportedTypeDeclarations": "no list",
        ])
        #expect(declared.faults.count == 4)
        let table = TypeTable.builtIn.adding([declared])
        #expect(!table.conforms(.png, to: .movie))
        #expect(!table.conforms(TypeIdentifier(rawValue: "org.idpf.epub-container"), to: .image))
        let c = TypeIdentifier(rawValue: "com.example.c")
        #expect(table.conforms(TypeIdentifier(rawValue: "com.example.a"), to: c))
        #expect(!table.conforms(c, to: TypeIdentifier(rawValue: "com.example.a")))
    }

    @Test func `A3: the types of all apps are bounded, and many with many parents are added soon`() {
        func app(_ number: Int) -> TypeDeclarations {
            let types: [ItemValue] = (0..<64).map { place in
                let parents = (0..<16).map { ItemValue.string("com.example.a\(number).t\((place + $0 + 1) % 64)") }
                return [
                    "UTTypeIdentifier": .string("com.example.a\(number).t\(place)"), "UTTypeConformsTo": .list(parents),
                ]
            }
            return TypeDeclarations(info: ["UTExportedTypeDeclarations": .list(types)])
        }
        let table = TypeTable.builtIn.adding((0..<64).map(app))
        #expect(table.has(TypeIdentifier(rawValue: "com.example.a0.t63")))
        #expect(!table.has(TypeIdentifier(rawValue: "com.example.a63.t63")))
    }

    @Test func `A3: declarations are bounded`() {
        let one: ItemValue = ["UTTypeIdentifier": "com.example.a"]
        let declared = TypeDeclarations(info: ["UTExportedTypeDeclarations": .list(Array(repeating: one, count: 1_000))]
        )
        #expect(declared.declarations.count == 64 && declared.faults.count == 1)
    }
}
