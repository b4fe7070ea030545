/// The outcome of each real rule, by the number of its property list. The letters stand for the items of
/// `Offers.typical`: text, address, page, picture, ten pictures, movie, file, and a picture with a file. A hyphen means
/// that the extension is not offered.
///
/// The table was written from the text of the rules, and not from the results of the code that it tests.
enum CorpusRules {
    static let expected: [String: String] = [
        "001": "t-upTmfb", "002": "---p----", "006": "taupTmfb", "007": "--upTmfb", "009": "-----m--",
        "010": "ta------", "013": "-a------", "014": "--------", "015": "t--pTm-b", "016": "taupTmfb",
        "017": "taup-mfb", "020": "ta-pTm--", "023": "taupTmfb", "024": "--------", "029": "taup-mfb",
        "030": "-a------", "032": "taupTmfb", "033": "tau-----", "034": "ta------", "037": "--upTmfb",
        "039": "taupTmfb", "040": "taupTmfb", "041": "taupTmfb", "045": "ta------", "046": "t-------",
        "047": "---p---b", "048": "taupTmfb", "049": "taupTmfb", "050": "taupTmfb", "051": "ta-p-m-b",
        "052": "taupTmfb", "053": "ta-p-m-b", "055": "------fb", "057": "taupTmfb", "059": "taup---b",
        "060": "taupTmfb", "062": "t-u-----", "066": "taupTmfb", "067": "-a------", "068": "-----m--",
        "069": "-a------", "070": "--up-mfb", "071": "-a------", "072": "ta-p-m--", "073": "taupTmfb",
        "074": "--------", "076": "---p---b", "077": "taupTmfb", "079": "ta----f-",
    ]
}
