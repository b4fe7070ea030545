/// Words of a command line that a user may copy into a shell.
enum ShellText {
    /// The word in single quotes, or unchanged if it holds no character with a meaning to a shell.
    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy(isPlain)
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x40, 0x5F: true
        default: false
        }
    }
}
