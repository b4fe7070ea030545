/// The parts of `annex demo --json` that the tests check.
struct DemoReport: Decodable {
    struct Picture: Decodable {
        let edited: String?
        let error: String?
    }

    struct Try: Decodable {
        let conduct: String
        let held: Bool
        let reason: String
        let detail: String
        let leakedDescriptors: Int
    }

    let picture: Picture
    let tries: [Try]
    let hostLives: Bool?
}
