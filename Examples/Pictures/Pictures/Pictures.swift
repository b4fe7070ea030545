/// The containing app's own program. An app must do something itself. This app lists its extensions.
@main
enum Pictures {
    static func main() {
        print(
            """
            Pictures is an example app. Its extensions, under PlugIns/:

              com.example.pictures.editor      edits a picture (sepia, grayscale, invert)
              com.example.pictures.misbehaver  tries whatever its request names, and gets nowhere
              com.example.pictures.silent      never says hello

            Run `annex demo PICTURE` to use them.
            """)
    }
}
