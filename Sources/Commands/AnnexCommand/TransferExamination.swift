import AnnexBroker
internal import AnnexDoctor
import Glibc

/// Examines what background transfers need, where `annexd` is installed beside this program. The findings do not change
/// whether sandboxes run here.
enum TransferExamination {
    static func findings() -> [Finding] {
        let folder = ExampleApp.folderOfThisProgram
        guard access(folder + "/annexd", X_OK) == 0 else { return [] }
        return [agent(folder + "/annex-transfer"), authorities]
    }

    private static func agent(_ program: String) -> Finding {
        let (id, title) = ("transfer-agent", "the agent of background transfers")
        guard let failure = TransferAgentTrial.failure(of: program) else {
            return Finding(
                id, topic: .transfers, title: title, level: .works, seen: "\(program) started in its sandbox")
        }
        return Finding(
            id, topic: .transfers, title: title, level: .missing, seen: failure.cause,
            meaning: "annexd takes background transfers, but they wait until the agent can be started",
            remedy: failure.remedy)
    }

    private static var authorities: Finding {
        let (id, title) = ("transfer-authorities", "the authorities that vouch for servers")
        guard let file = TransferAgentTrial.readableAuthorities else {
            return Finding(
                id, topic: .transfers, title: title, level: .missing,
                seen: TransferAgentTrial.authorities.joined(separator: ", ") + " cannot be read",
                meaning: "background transfers reach no server by TLS",
                remedy: "apt-get install ca-certificates, or annexd --transfer-authorities FILE")
        }
        return Finding(id, topic: .transfers, title: title, level: .works, seen: file)
    }
}
