/// Shows the demo's results as they arrive.
protocol DemoPrinter: AnyObject {
    func show(_ edit: PictureEdit.Result)
    func show(_ trial: Trial.Result)
    /// Shows at the end whether the same host can still edit a picture. `failure` is nil if it can.
    func showHost(_ failure: String?)
    func finish()
}
