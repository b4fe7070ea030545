import AnnexLinux

@testable import AnnexDoctor
@testable import AnnexLaunch

/// The readers of the machine's texts: mounts, control groups, maps of users, signs of containers, and switches. The
/// readers of names in folders that every user can write to, and the escaping of shown text, are tested too.
enum FuzzMachineText {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            FuzzMachineText.read(String(decoding: bytes, as: UTF8.self), bytes)
            return 0
        }
    }

    /// The first byte chooses one reader, because all of them together would take most of a millisecond.
    private static func read(_ text: String, _ bytes: [UInt8]) {
        switch bytes.first.map({ $0 % 7 }) {
        case 0: _ = Surroundings.masks(in: text)
        case 1: _ = (Surroundings.filterMode(in: text), Surroundings.modules(in: text))
        case 2: _ = Container(Container.Signs(word: Container.word(in: text), kernel: text, groups: text))
        case 3: _ = IdentityMap(text: text).contains(IdentityRange.standard)
        case 4: _ = ControlGroupHierarchy.candidates(mounts: ControlGroupMount.all(in: text), places: text)
        case 5: readName(text)
        default: _ = (Escaped(text, limit: 200).description, Escaped.lines(of: bytes))
        }
    }

    private static func readName(_ text: String) {
        let text = String(text.dropFirst())
        if let name = OwnedName(text) { Fuzzer.expect(OwnedName(name.text) == name, "another name") }
        for one in KernelSwitch.all { _ = one.check(text) }
    }
}
