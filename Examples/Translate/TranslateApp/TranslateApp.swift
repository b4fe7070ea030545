/// The containing app's own program. Its extension does the work.
@main
enum TranslateApp {
    static func main() {
        print("Translate is an action for texts. Pick it in a share sheet: annex share --text TEXT")
    }
}
