/// The containing app's own program. It does for its arguments what its extension does for other apps.
@main
enum ShoutApp {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        print(words.isEmpty ? "usage: Shout WORD…" : words.joined(separator: " ").uppercased())
    }
}
