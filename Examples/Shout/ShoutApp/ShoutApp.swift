/// The containing app's own program. It processes its arguments in the same way as its extension processes the texts of
/// other apps.
@main
enum ShoutApp {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        print(words.isEmpty ? "usage: Shout WORD…" : words.joined(separator: " ").uppercased())
    }
}
