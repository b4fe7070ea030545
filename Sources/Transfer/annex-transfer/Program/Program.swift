import AnnexTransferProgram

/// The program `annex-transfer`. It moves the bytes of background transfers with libcurl.
@main
enum Program {
    static func main() { AnnexTransferProgram.main(exchangingBy: CurlEngine.self) }
}
