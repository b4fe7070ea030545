/// The containing app's own program: what its extension does for other apps, it does for its arguments.
@main
enum ShoutApp {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        print(words.isEmpty ? "usage: Shout WORD…" : words.joined(separator: " ").uppercased())
    }
}
