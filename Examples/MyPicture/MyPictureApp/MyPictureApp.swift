/// The containing app's own program. Its extension does the work.
@main
enum MyPictureApp {
    static func main() {
        print("MyPicture posts pictures. Pick it in a share sheet: annex share PICTURE…")
    }
}
